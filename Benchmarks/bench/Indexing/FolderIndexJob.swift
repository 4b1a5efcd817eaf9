import EmbeddingIndexing
import EmbeddingStores
import Foundation

/// Indexes a folder of text files into a store that stays, goes on where a run before was killed,
/// and answers queries on it.
struct FolderIndexJob {
  private let arguments: Arguments

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() async throws {
    try JSONFile.prepare(arguments.json)
    let folder = try folder()
    guard let directory = arguments.directory else {
      let scratch = try ScratchDirectory(below: nil)
      defer { scratch.remove() }
      Console.line("The store is removed at the end; --directory DIR keeps it in DIR.")
      return try await index(folder, in: scratch.url.appending(path: "store"))
    }
    try await index(folder, in: URL(filePath: directory))
  }

  /// The folder that was named, or this package's.
  private func folder() throws -> URL {
    let folder =
      try arguments.operand.map { URL(filePath: $0, directoryHint: .isDirectory) }
      ?? DataSetLocation.benchmarksFolder("Data", holding: "set.json")
      .deletingLastPathComponent().deletingLastPathComponent()
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory),
      isDirectory.boolValue
    else {
      throw BenchError("\(folder.path) is not a folder. Name a folder of text files to index.")
    }
    return folder
  }

  private func index(_ folder: URL, in directory: URL) async throws {
    let encoder = try HashedTextEncoder()
    let store = try EmbeddingStore(at: directory, space: encoder.space)
    let source = DirectorySource(textFilesIn: folder, pathExtensions: TextFolder.pathExtensions)
    // Somebody waits for this: whatever else the machine does, it does not rest.
    let indexer = try Indexer(
      store: store, source: source, encoder: encoder, throttle: NoThrottle())
    Console.line("\(folder.path), \(try store.count()) rows indexed before")
    let outcome = try await indexed(indexer)
    for failure in outcome.failures.prefix(5) {
      Console.line("  \(failure.key): \(failure.reason) (\(failure.kind.rawValue))")
    }
    if outcome.failures.count > 5 { Console.line("  and \(outcome.failures.count - 5) more") }
    var report = FolderIndexReport(outcome, storedCount: try store.count())
    report.answers = try await TextQueries(store: store, encoder: encoder, folder: folder)
      .answers(to: arguments.texts)
    try JSONFile.write(report, to: arguments.json)
    guard case .finished = outcome.progress.end else {
      // A full disk was told of already.
      try? store.close()
      throw BenchError(
        "Not everything is indexed. What is stays, and the same command goes on behind it.")
    }
    try store.close()
  }

  private func indexed(
    _ indexer: Indexer<DirectorySource<String>, HashedTextEncoder>
  ) async throws -> FolderIndexReport.Outcome {
    try await Interruption.cancels {
      let plan = try await indexer.plan()
      Console.line("Plan: \(plan.words)")
      if let error = plan.removalError { Console.line("Nothing is removed: \(error.message)") }
      let bar = ProgressBar()
      let clock = ContinuousClock.now
      let progress = try await indexer.run(plan) { bar.show($0) }
      let seconds = Stopwatch.seconds(clock.duration(to: .now))
      Console.line("\(progress.words), in \(Decimals.text(seconds)) s")
      return FolderIndexReport.Outcome(
        plan: plan, progress: progress, seconds: seconds,
        failures: try indexer.failures.failures())
    }
  }
}
