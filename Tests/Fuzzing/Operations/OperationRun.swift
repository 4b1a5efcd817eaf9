import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport

/// A store, what it should hold, and a disk that fails when the input says so.
///
/// After a call that failed because the disk did, the store must hold what it held before. Opened
/// again, it may also hold what a failed call would have made of it, as long as nothing was
/// acknowledged since.
struct OperationRun {
  enum Operation: Int, CaseIterable {
    case put, update, remove, removePart, removeAll, search, compact, reopen, fail, refreshReader
    case snapshot, synchronize
  }

  let memory = MemoryFileSystem()
  let faults: FaultyFileSystem
  var configuration = StoreConfiguration.fuzzed
  /// Nil only while it is opened again.
  private var opened: EmbeddingStore?
  private let reader: EmbeddingStore
  var model = StoreModel()
  /// What calls that failed since the last one that did not would have made of the store.
  private var alternatives: [StoreModel] = []
  private var snapshot: (Snapshot, StoreModel)?
  /// Whether a call to the disk failed since the store was opened.
  private var isTroubled = false

  static let space = EmbeddingSpace(model: "m", dimension: 4, normalization: .none)

  init(_ source: inout ByteSource) throws {
    faults = FaultyFileSystem(memory)
    configuration.durability =
      [.processKill, .orderedPowerLoss, .powerLoss][source.below(3)]
    configuration.compaction = .manual
    if source.below(2) == 1 { configuration.compaction = CompactionPolicy(journalByteCount: 600) }
    opened = try Self.open(faults, configuration)
    reader = try EmbeddingStore(
      memory, path: StoreImage.path, space: nil, isReadOnly: true, .fuzzed)
  }

  private static func open(
    _ fileSystem: any FileSystem, _ configuration: StoreConfiguration
  ) throws -> EmbeddingStore {
    try EmbeddingStore(
      fileSystem, path: StoreImage.path, space: space, isReadOnly: false, configuration)
  }

  /// Whether a call may fail because the disk failed, now or earlier.
  var mayFail: Bool { isTroubled || faults.failureCount > 0 }

  func store() throws -> EmbeddingStore {
    guard let opened else { throw FuzzFinding("There is no store.") }
    return opened
  }

  mutating func step(_ source: inout ByteSource) throws {
    switch Operation.allCases[source.below(Operation.allCases.count)] {
    case .put: try put(&source)
    case .update: try update(&source)
    case .remove: try remove(&source)
    case .removePart: try removePart(&source)
    case .removeAll: try removeAll()
    case .search: try search(&source)
    case .compact: try attempt(model) { try $0.compact() }
    case .reopen: try reopen(closing: source.below(2) == 1, withFaults: source.below(4) == 0)
    case .fail:
      // Setting faults forgets those that came true.
      isTroubled = mayFail
      faults.setFaults(Self.fault(&source))
    case .refreshReader: try refreshReader()
    case .snapshot: try takeOrCheckSnapshot()
    case .synchronize: try attempt(model) { try $0.synchronize() }
    }
    isTroubled = mayFail
  }

  mutating func finish() throws {
    try compare(store(), model, "at the end")
    try checkSnapshot()
    try reopen(closing: true, withFaults: false)
    let report = try store().verify()
    try FuzzFinding.require(report.isIntact, "The store is damaged: \(report.problems)")
    try refreshReader()
  }

  /// Makes a call after which the store holds `next`, or, when the disk failed, what it held.
  mutating func attempt(
    _ next: StoreModel, _ call: (EmbeddingStore) throws -> some Any
  ) throws {
    do {
      _ = try call(store())
      model = next
      alternatives = []
    } catch let error as StoreError {
      guard mayFail else { throw FuzzFinding("A call failed on a good disk: \(error)") }
      alternatives.append(next)
    }
    let count = try store().count()
    try FuzzFinding.require(
      count == model.count, "The store counts \(count) records, not \(model.count).")
  }

  private mutating func reopen(closing: Bool, withFaults: Bool) throws {
    do {
      if closing { try store().close() }
    } catch let error as StoreError {
      guard mayFail else { throw FuzzFinding("Closing failed on a good disk: \(error)") }
    }
    opened = nil
    if !withFaults { faults.setFaults() }
    do {
      opened = try Self.open(faults, configuration)
    } catch let error as StoreError {
      guard faults.failureCount > 0 else {
        throw FuzzFinding("The store did not open on a good disk: \(error)")
      }
      faults.setFaults()
      opened = try Self.open(faults, configuration)
    }
    isTroubled = false
    let holdings = try Holdings(store())
    guard let found = ([model] + alternatives).first(where: { Holdings($0) == holdings }) else {
      throw FuzzFinding("The store opened with something else than it held.")
    }
    model = found
    alternatives = []
  }

  private func refreshReader() throws {
    guard !mayFail else { return }
    try reader.refresh()
    try compare(reader, model, "in a reader")
  }

  private mutating func takeOrCheckSnapshot() throws {
    if snapshot == nil {
      snapshot = (try store().snapshot(), model)
    } else {
      try checkSnapshot()
      snapshot = nil
    }
  }

  private func checkSnapshot() throws {
    if let (snapshot, then) = snapshot { try compare(snapshot, then, "in a snapshot") }
  }

  private func compare(_ reader: some EmbeddingReader, _ model: StoreModel, _ place: String) throws
  {
    let holdings = try Holdings(reader)
    try FuzzFinding.require(
      holdings == Holdings(model),
      "Other records \(place): \(holdings.records.keys), not \(model.records.keys).")
  }
}
