import EmbeddingStores
import EmbeddingTestSupport
import Foundation

extension StoreWorker {
  /// Rewrites the records of a store until the input ends, and compacts it every second or when
  /// the journal has a fifth of the size of the main file; says how many commits that were.
  static func rewrite(_ directory: URL) throws {
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    let store = try EmbeddingStore(
      at: directory, space: RewrittenRecords.space, configuration: configuration)
    let count = try store.count()
    // The campaign stored version 0.
    var commit = RewrittenRecords.chunkCount
    var compacted = ContinuousClock.now
    while !isInputOver {
      try store.put(RewrittenRecords.commit(commit, of: count))
      commit += 1
      let statistics = try store.statistics()
      if compacted.duration(to: .now) > .seconds(1)
        || statistics.journalByteCount * 5 > statistics.mainFileByteCount
      {
        try store.compact()
        compacted = .now
      }
      usleep(20_000)
    }
    try store.close()
    say("\(commit - RewrittenRecords.chunkCount)")
  }

  /// Says "ready", opens and searches a store for the first line of input, and keeps it open.
  static func readLater(_ directory: URL) throws {
    say("ready")
    guard readLine() != nil else { return }
    let store = try EmbeddingStore(readingAt: directory)
    let matches = try store.search(for: RewrittenRecords.vector(7, version: 0), count: 10)
    say(matches.count == 10 ? "ok" : "\(matches.count) matches")
    while readLine() != nil {}
    try store.close()
  }

  /// For each line of input, says which files of a store are locked by another process.
  static func tryLocks(_ directory: URL) {
    while readLine() != nil {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
      let locked = names.sorted().filter { name in
        let descriptor = open("\(directory.path)/\(name)", O_RDONLY)
        defer { close(descriptor) }
        return descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0
      }
      say("locked: \(locked.joined(separator: " "))")
    }
  }
}
