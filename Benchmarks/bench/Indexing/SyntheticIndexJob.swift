import EmbeddingIndexing
import EmbeddingStores
import Foundation

/// Indexes synthetic items, checks what came of it, and measures how fast it went, how much memory
/// it took, and how long it takes to see that nothing is left to do.
struct SyntheticIndexJob {
  private let arguments: Arguments
  private let source: SyntheticItems
  private let encoder: SyntheticEncoder
  private let checks = Checks()

  /// What the run may take at most, for 100,000 items of 512 dimensions.
  private static let allowedMegabytes = 60.0
  private static let allowedMilliseconds = 300.0

  init(_ arguments: Arguments) {
    self.arguments = arguments
    let count = arguments.rowCount ?? 100_000
    source = SyntheticItems(count: BuildKind.isDebug ? min(count, BuildKind.debugRowCount) : count)
    encoder = SyntheticEncoder(dimension: arguments.dimension ?? 512)
  }

  func run() async throws {
    try JSONFile.prepare(arguments.json)
    let scratch = try ScratchDirectory(below: arguments.directory)
    defer { scratch.remove() }
    let store = scratch.url.appending(path: "store")
    let figures = try await Interruption.cancels {
      try await indexAll(into: store) + planAgain(store)
    }
    var report = Report(
      data: "synthetic items", rows: source.count, dimension: encoder.space.dimension)
    report.figures = figures
    report.failedChecks = checks.failures
    report.printTable()
    try JSONFile.write(report, to: arguments.json)
    try checks.report()
  }

  private func indexAll(into url: URL) async throws -> [Figure] {
    let bar = ProgressBar()
    let before = encoder.encodedCount.count
    var progress: IndexingProgress?
    let clock = ContinuousClock.now
    var seconds = 0.0
    let peak = try await PrivateMemory.peak {
      let (store, indexer) = try open(url)
      progress = try await indexer.run { bar.show($0) }
      seconds = Stopwatch.seconds(clock.duration(to: .now))
      try store.close()
    }
    guard let progress else { throw BenchError("The run did not report how it ended.") }
    if progress.end == .cancelled { throw BenchError("Cancelled.") }
    checks.expect(progress.end == .finished, "the run ended so: \(progress.words)")
    expect(progress.completed, source.count, "items that the run says it indexed")
    expect(
      encoder.encodedCount.count - before, source.count, "inputs that the encoder was given")
    var figures = [
      Figure("index", "indexing", Double(source.count) / seconds, .itemsPerSecond)
    ]
    if let peak {
      let megabytes = Double(peak) / 1e6
      figures.append(
        Figure(
          "index_memory", "peak private memory, all of the process", megabytes, .megabytes,
          ratio: megabytes / Self.allowedMegabytes, to: "the 60 MB allowed"))
    }
    return figures
  }

  /// Opens the store as the app's next launch does, and checks it.
  private func planAgain(_ url: URL) async throws -> [Figure] {
    let (store, indexer) = try open(url)
    let before = (encoder.encodedCount.count, source.loadedCount.count)
    expect(try store.count(), source.count, "rows of the store")
    expect(try indexer.failures.count(), 0, "failures in the ledger")
    var planSeconds: [Double] = []
    var listSeconds: [Double] = []
    for _ in 0..<9 {
      var clock = ContinuousClock.now
      let plan = try await indexer.plan()
      planSeconds.append(Stopwatch.seconds(clock.duration(to: .now)))
      checks.expect(plan.isUpToDate, "the plan of unchanged items has work: \(plan.words)")
      expect(plan.unchangedCount, source.count, "unchanged items of the plan")
      clock = ContinuousClock.now
      for try await page in source.pages() { withExtendedLifetime(page) {} }
      listSeconds.append(Stopwatch.seconds(clock.duration(to: .now)))
    }
    let progress = try await indexer.run()
    checks.expect(progress.end == .finished, "the run without work ended so: \(progress.words)")
    let after = (encoder.encodedCount.count, source.loadedCount.count)
    expect(after.0 - before.0, 0, "inputs encoded without any change")
    expect(after.1 - before.1, 0, "contents loaded without any change")
    try search(store)
    try store.close()
    let planning = Latencies(planSeconds).median * 1e3
    return [
      Figure(
        "index_plan", "planning without any change", planning, .milliseconds,
        ratio: planning / Self.allowedMilliseconds, to: "the 300 ms allowed"),
      Figure(
        "index_list", "of which the source takes to list its items",
        Latencies(listSeconds).median * 1e3, .milliseconds),
      Figure(
        "index_encoded", "inputs encoded without any change", Double(after.0 - before.0), .rows),
    ]
  }

  /// Searches for the vectors of some items, each of which must find its own first.
  private func search(_ store: EmbeddingStore) throws {
    let count = min(arguments.queryCount, source.count)
    for query in 0..<count {
      let number = query * source.count / count
      let first = try store.search(for: encoder.vector(number), count: 1).first
      checks.expect(
        first?.key == SyntheticItems.key(number),
        "the vector of \(SyntheticItems.key(number)) finds \(first?.key ?? "nothing") first")
    }
  }

  private func open(
    _ url: URL
  ) throws -> (EmbeddingStore, Indexer<SyntheticItems, SyntheticEncoder>) {
    var configuration = StoreConfiguration()
    configuration.searchThreadCount = arguments.threadCount
    let store = try EmbeddingStore(at: url, space: encoder.space, configuration: configuration)
    let indexer = try Indexer(
      store: store, source: source, encoder: encoder, throttle: NoThrottle())
    return (store, indexer)
  }

  private func expect(_ count: Int, _ expected: Int, _ what: String) {
    checks.expect(count == expected, "\(what): \(count) instead of \(expected)")
  }
}
