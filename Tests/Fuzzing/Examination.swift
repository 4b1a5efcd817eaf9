import EmbeddingFiles
import EmbeddingStores
import Foundation

/// Does everything to a store of which nothing is known.
///
/// Any step may throw while the store is not known to be intact. Once verification calls it intact,
/// reading it works, what is read stays the same through compaction and reopening, and it takes
/// another record.
struct Examination {
  private let fileSystem: MemoryFileSystem

  init(_ fileSystem: MemoryFileSystem) {
    self.fileSystem = fileSystem
  }

  func run() throws {
    guard let reader = open(isReadOnly: true) else { return }
    if let holdings = try holdingsIfIntact(reader) {
      try write(after: holdings)
    } else {
      try writeWhateverComes()
    }
  }

  /// Nil when the store can not be opened, which is an answer. With a damaged journal, what comes
  /// before the damage is opened.
  private func open(isReadOnly: Bool) -> EmbeddingStore? {
    var configuration = StoreConfiguration.fuzzed
    for recovery in [StoreConfiguration.Recovery.strict, .salvage] {
      configuration.recovery = recovery
      do {
        return try EmbeddingStore(
          fileSystem, path: StoreImage.path, space: nil, isReadOnly: isReadOnly, configuration)
      } catch {
        guard error.code == .journalCorrupt else { return nil }
      }
    }
    return nil
  }

  private func holdingsIfIntact(_ store: EmbeddingStore) throws -> Holdings? {
    let isIntact = (try? store.verify().isIntact) ?? false
    do {
      let holdings = try Holdings(store)
      try search(store, holdings)
      return isIntact ? holdings : nil
    } catch {
      if isIntact { throw error }
      return nil
    }
  }

  private func search(_ store: EmbeddingStore, _ holdings: Holdings) throws {
    let records = holdings.records.values
    let vector = (0..<store.space.dimension).map { Float($0 % 3) + 1 }
    let query = Query(.vector(vector), count: .max, grouping: .everyPart)
    let matches = try store.search(query)
    try FuzzFinding.require(
      matches.count == records.count, "A search found \(matches.count) of \(records.count).")
    try FuzzFinding.require(
      zip(matches, matches.dropFirst()).allSatisfy { $0.score >= $1.score },
      "Matches are not in order.")
    var first = query
    first.count = 2
    let together = try store.search([Query](repeating: first, count: 20))
    try FuzzFinding.require(
      together.allSatisfy { $0 == Array(matches.prefix(2)) }, "Many queries find something else.")
    var labelled = query
    labelled.filter = Filter(labels: [.any(["a"])])
    let expected = records.count { $0.labels.contains("a") }
    let count = try store.search(labelled).count
    try FuzzFinding.require(count == expected, "\(count) of \(expected) labelled rows were found.")
    // A stored row may be too short to have a direction.
    if let key = holdings.firstKey { _ = try? store.search(like: key) }
  }

  private func write(after before: Holdings) throws {
    guard var store = open(isReadOnly: false) else {
      throw FuzzFinding("What opened for reading did not open for writing.")
    }
    var expected = before
    let record = Record(
      key: "a key of its own", vector: [Float](repeating: 1, count: store.space.dimension),
      labels: ["a", "z"], metadata: Data([1]), text: "text")
    guard try allowingLimits({ try store.put(record) }) else { return }
    expected.put(try store.record(for: record.key) ?? record)
    if let key = before.firstKey {
      guard try allowingLimits({ try store.remove([key]) }) else { return }
      expected.remove(key)
    }
    for _ in 0..<2 {
      try FuzzFinding.require(try Holdings(store) == expected, "Writing changed other records.")
      guard try allowingLimits({ try store.compact() }) else { return }
      try store.close()
      guard let reopened = open(isReadOnly: false) else {
        throw FuzzFinding("What was compacted did not open again.")
      }
      store = reopened
      let report = try store.verify()
      try FuzzFinding.require(report.isIntact, "Compaction left damage: \(report.problems)")
    }
    try FuzzFinding.require(try Holdings(store) == expected, "Compaction changed records.")
  }

  /// False when the store is at the end of its numbers, or has features of a later version.
  private func allowingLimits(_ body: () throws -> some Any) throws -> Bool {
    do {
      _ = try body()
      return true
    } catch let error as StoreError where [.limitExceeded, .readOnly].contains(error.code) {
      return false
    }
  }

  private func writeWhateverComes() throws {
    guard let store = open(isReadOnly: false) else { return }
    let vector = [Float](repeating: 1, count: store.space.dimension)
    _ = try? store.put(Record(key: "a key of its own", vector: vector))
    _ = try? store.removeAll()
    _ = try? store.compact()
    try? store.close()
  }
}
