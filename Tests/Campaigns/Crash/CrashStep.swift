import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation

/// One step of a workload on a simulated disk.
enum CrashStep: String, CaseIterable, Sendable {
  case putNew, replace, putBatch, insert, update, remove, removePart, removeAll, putThatFails
  case compact, synchronize, closeAndOpen, killAndOpen, backUp

  /// Whether, at a durability that syncs no commit, everything before must survive a power failure
  /// once this step is acknowledged.
  var makesEverythingDurable: Bool {
    switch self {
    case .compact, .synchronize, .closeAndOpen, .putThatFails: true
    default: false
    }
  }
}

/// A store on a simulated disk, and what it should hold.
struct CrashSession {
  static let path = "/store"
  static let space = EmbeddingSpace(model: "simulated", dimension: 8, normalization: .none)

  let disk: SimulatedDisk
  let durability: Durability
  var store: EmbeddingStore
  var model: StoreModel
  /// What the store would hold, had the last step not failed.
  private(set) var failed: StoreModel?
  /// Makes every record of a workload another one.
  private var recordCount = 0

  init(_ disk: SimulatedDisk, _ durability: Durability, _ model: StoreModel) throws {
    self.disk = disk
    self.durability = durability
    self.model = model
    store = try Self.open(disk, durability)
  }

  static func open(
    _ disk: SimulatedDisk, _ durability: Durability = .processKill, isReadOnly: Bool = false,
    path: String = path
  ) throws -> EmbeddingStore {
    var configuration = StoreConfiguration()
    configuration.durability = durability
    configuration.compaction = .manual
    configuration.searchThreadCount = 1
    return try EmbeddingStore(
      SimulatedFileSystem(disk), path: path, space: isReadOnly ? nil : space,
      isReadOnly: isReadOnly, configuration)
  }

  /// A record that no other call makes. Its components are small whole numbers, which Float16 holds.
  mutating func makeRecord(_ key: String, part: UInt16 = 0) -> Record {
    recordCount += 1
    // As many digits for every record, so that equal records have equal sizes.
    let number = 1_000 + recordCount
    return Record(
      key: key, vector: (0..<8).map { Float((number * 7 + $0 * 3) % 19) - 9.5 }, part: part,
      timestamp: Date(timeIntervalSince1970: Double(number)), labels: ["label \(number)"],
      metadata: Data("metadata \(number)".utf8), text: "text \(number)",
      revision: Revision("\(number)"))
  }

  /// Puts records and notes them in the model.
  mutating func put(_ records: [Record]) throws {
    for record in records { model.put(record) }
    try store.put(records)
  }

  /// Does a step, in the model as in the store.
  mutating func perform(_ step: CrashStep) throws {
    failed = nil
    switch step {
    case .putNew: try put([makeRecord("new \(recordCount)")])
    case .replace: try put([makeRecord("a")])
    case .putBatch:
      try put([makeRecord("a"), makeRecord("b", part: 1), makeRecord("batch \(recordCount)")])
    case .putThatFails:
      let records = [makeRecord("a"), makeRecord("b", part: 1), makeRecord("batch \(recordCount)")]
      failed = model
      for record in records { failed?.put(record) }
      try disk.withState { $0.failsNextJournalWrite = true }
      guard (try? store.put(records)) == nil else { throw MissedFailure() }
    case .insert:
      let record = makeRecord("inserted \(recordCount)")
      model.put(record)
      try store.insert([record])
    case .update:
      let number = recordCount
      recordCount += 1
      // There may be nothing to update.
      let update = RecordUpdate(key: "a", labels: .set(["updated \(number)"]), text: .removed)
      if model.update(update) { try store.update([update]) }
    case .remove:
      model.remove("a")
      try store.remove(["a"])
    case .removePart:
      model.remove("b", part: 1)
      try store.remove("b", part: 1)
    case .removeAll:
      model.removeAll()
      try store.removeAll()
    case .compact: try store.compact()
    case .synchronize: try store.synchronize()
    case .closeAndOpen:
      try store.close()
      store = try Self.open(disk, durability)
    case .killAndOpen:
      // What a kill leaves is what the system has, and nothing of the object.
      store = try EmbeddingStore(inMemory: Self.space)
      store = try Self.open(disk, durability)
    case .backUp:
      try store.backup(to: URL(filePath: "/backup \(recordCount)", directoryHint: .isDirectory))
      recordCount += 1
    }
  }
}

/// A put succeeded whose write failed.
struct MissedFailure: Error {}
