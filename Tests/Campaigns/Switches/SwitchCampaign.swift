internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation
internal import Synchronization

/// T11: readers open, map, refresh and search while compactions rename generations under them.
///
/// Two reader threads and two reader processes, each seeing versions that never go back.
struct SwitchCampaign: Campaign {
  let name = "switches"
  let purpose = "open, refresh and search a store while its generations are switched"
  let unit = "switches"

  func count(at scale: CampaignScale) -> Int {
    switch scale {
    case .test: 100
    case .push: 10_000
    case .release: 1_000_000
    }
  }

  func run(_ run: CampaignRun) throws {
    if MemoryDirectory.url == nil { run.note("No file system in memory here: on disk.") }
    let url = (MemoryDirectory.url ?? run.directory).appending(
      path: "switches-\(UInt64.random(in: .min ... .max))", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: url) }
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    let store = try EmbeddingStore(
      at: url, space: VersionedRecords.space, configuration: configuration)
    try store.put(VersionedRecords.all(version: 0))

    let isOver = Atomic(false)
    let start = ContinuousClock.now
    let group = DispatchGroup()
    let processes = try (0..<2).map { _ in try Worker(["watch", url.path]) }
    for process in processes where process.readLine() != "watching" {
      run.found("A reader process could not start.")
    }
    let readingCount = Atomic(0)
    for process in processes {
      DispatchQueue.global().async(group: group) {
        readingCount.wrappingAdd(WatchingProcess.read(process, run), ordering: .relaxed)
      }
    }
    for _ in 0..<2 {
      DispatchQueue.global().async(group: group) {
        var watch = VersionWatch(url)
        while !isOver.load(ordering: .relaxed), !run.isFinished {
          if let problem = watch.look() { run.found(problem) }
        }
        readingCount.wrappingAdd(watch.lookCount, ordering: .relaxed)
      }
    }
    do {
      var version = 0
      while !run.isFinished {
        version += 1
        try store.put(VersionedRecords.all(version: version))
        try store.compact()
        run.tried()
      }
    } catch {
      run.found("seed \(run.seed), switch \(run.tried): the writer failed: \(error)")
    }
    isOver.store(true, ordering: .relaxed)
    for process in processes { process.endInput() }
    group.wait()
    let elapsed = start.duration(to: .now) / .seconds(1)
    run.note(
      "\(Int(Double(run.tried) / elapsed)) switches a second, looked at "
        + "\(readingCount.load(ordering: .relaxed)) times by 2 threads and 2 processes")
    try store.close()
  }
}
