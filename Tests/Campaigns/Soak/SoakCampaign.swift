internal import Dispatch
internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation
internal import Synchronization

/// T10: a store that is written, compacted and read for long stays as large as it is, and so do the
/// processes that use it.
///
/// One process writes, four processes and four threads read.
struct SoakCampaign: Campaign {
  let name = "soak"
  let purpose = "write, compact and read a store for long, and look whether anything grows"
  let unit = "seconds"

  private static let readerCount = 4
  private static let rowCount = 2_048

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 2
    case .push: 45
    case .release: 86_400
    }
  }

  func run(_ run: CampaignRun) throws {
    let url = run.directory.appending(path: "store", directoryHint: .isDirectory)
    var sizes = SoakSizes(url, liveByteCount: try fill(url))
    let writer = try Worker(["rewrite", url.path])
    let readers = try (0..<Self.readerCount).map { _ in
      try Worker(["watch-rewriting", url.path])
    }
    for reader in readers where reader.readLine() != "watching" {
      run.found("A reader process could not start.")
    }
    let lookCount = Atomic(0)
    let isOver = Atomic(false)
    let group = DispatchGroup()
    for reader in readers {
      Thread.detachNewThread(in: group) {
        lookCount.wrappingAdd(WatchingProcess.read(reader, run), ordering: .relaxed)
      }
      Thread.detachNewThread(in: group) {
        var watch = RewriteWatch(url)
        while !isOver.load(ordering: .relaxed) {
          if let problem = watch.look() { run.found(problem) }
        }
        lookCount.wrappingAdd(watch.lookCount, ordering: .relaxed)
      }
    }
    var usages = ([writer] + readers).map { ProcessUsage($0.processIdentifier) }
    let start = ContinuousClock.now
    while !run.isFinished {
      usleep(50_000)
      sizes.sample()
      guard start.duration(to: .now) >= .seconds(run.tried + 1) else { continue }
      for index in usages.indices { usages[index].sample() }
      run.tried()
    }
    isOver.store(true, ordering: .relaxed)
    for process in readers + [writer] { process.endInput() }
    group.wait()
    let commitCount = writer.readLine().flatMap { Int($0) } ?? 0
    if writer.wait() != 0 || commitCount == 0 { run.found("The writer process failed.") }
    run.note(
      "\(commitCount) commits, looked at \(lookCount.load(ordering: .relaxed)) times, "
        + "generation \(try EmbeddingStore(readingAt: url).statistics().generation)")
    sizes.report(to: run)
    ProcessUsage.report(usages, to: run)
  }

  /// Stores the first version of every record; answers the size of the compacted store.
  private func fill(_ url: URL) throws -> Int {
    let store = try EmbeddingStore(at: url, space: RewrittenRecords.space)
    for commit in 0..<RewrittenRecords.chunkCount {
      try store.put(RewrittenRecords.commit(commit, of: Self.rowCount))
    }
    try store.compact()
    defer { try? store.close() }
    return try store.statistics().mainFileByteCount
  }
}

extension Thread {
  /// For work that blocks: threads of the system's queues are few.
  fileprivate static func detachNewThread(
    in group: DispatchGroup, _ body: @escaping @Sendable () -> Void
  ) {
    group.enter()
    detachNewThread {
      body()
      group.leave()
    }
  }
}
