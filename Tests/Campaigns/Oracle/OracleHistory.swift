internal import EmbeddingFiles
internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// A store, a reader of it and a snapshot, and what each should hold.
struct OracleHistory {
  let world: OracleWorld
  private let fileSystem: any FileSystem
  private let path: String
  var store: EmbeddingStore
  var reader: EmbeddingStore
  var snapshot: Snapshot?
  var state = OracleState()
  /// What the reader was shown last.
  var readerState = OracleState()
  var snapshotState = OracleState()
  /// The change numbers of all commits.
  var commitNumbers: [UInt64] = [0]
  private var backupCount = 0

  init(_ world: OracleWorld, _ fileSystem: any FileSystem, path: String) throws {
    self.world = world
    self.fileSystem = fileSystem
    self.path = path
    store = try EmbeddingStore(
      fileSystem, path: path, space: world.space, isReadOnly: false, world.configuration)
    reader = try Self.openReader(world, fileSystem, path)
  }

  private static func openReader(
    _ world: OracleWorld, _ fileSystem: any FileSystem, _ path: String
  ) throws -> EmbeddingStore {
    try EmbeddingStore(fileSystem, path: path, space: nil, isReadOnly: true, world.configuration)
  }

  mutating func perform(_ operation: OracleOperation) throws {
    switch operation {
    case .put, .insert, .refused, .update, .remove, .removePart, .removeAll, .reconcile:
      try write(operation)
      let count = try store.count()
      try claim(count == state.model.count, "\(count) records, not \(state.model.count)")
    case .compact: try store.compact()
    case .reopen(let isClosing): try reopen(isClosing: isClosing)
    case .refreshReader: try refreshReader()
    case .reopenReader:
      reader = try Self.openReader(world, fileSystem, path)
      readerState = state
    case .takeSnapshot:
      snapshot = try store.snapshot()
      snapshotState = state
    case .checkSnapshot:
      if let snapshot { try compare(snapshot, snapshotState) }
    case .search, .searchTogether, .read, .changes: try read(operation)
    case .compareAll: try compare(store, state)
    case .backUp: try backUp()
    }
  }

  /// Compares everything, and everything again once it is compacted and opened anew.
  mutating func finish() throws {
    try compare(store, state)
    try compare(reader, readerState)
    if let snapshot { try compare(snapshot, snapshotState) }
    try refreshReader()
    try compare(reader, readerState)
    try reopen(isClosing: true)
    try compare(store, state)
    try store.compact()
    try compare(store, state)
    let problems = try store.verify().problems
    try claim(problems.isEmpty, "verification finds \(problems)")
    let failure = store.lastCompactionError
    try claim(failure == nil, "an automatic compaction failed")
    let byteCount = store.openReport.unfinishedByteCount
    try claim(byteCount == 0, "\(byteCount) bytes are unfinished")
  }

  private mutating func reopen(isClosing: Bool) throws {
    if isClosing { try store.close() }
    // The old object must be gone before the new one may write.
    store = reader
    store = try EmbeddingStore(
      fileSystem, path: path, space: world.space, isReadOnly: false, world.configuration)
    let number = try store.snapshot().changeNumber
    try claim(
      number == state.changeNumber,
      "change number \(number) after opening, not \(state.changeNumber)")
  }

  private mutating func backUp() throws {
    backupCount += 1
    let copyPath = "\(path) \(backupCount)"
    try store.backup(to: URL(filePath: copyPath, directoryHint: .isDirectory))
    let copy = try EmbeddingStore(
      fileSystem, path: copyPath, space: world.space, isReadOnly: false, world.configuration)
    let expected = state
    try compare(copy, expected)
    let deadCount = try copy.statistics().deadRowCount
    let problems = try copy.verify().problems
    try claim(deadCount == 0 && problems.isEmpty, "a copy has \(deadCount) dead rows, \(problems)")
  }

  private mutating func refreshReader() throws {
    let before = try reader.snapshot().changeNumber
    try claim(
      before == readerState.changeNumber,
      "the reader moved from \(readerState.changeNumber) to \(before) by itself")
    let isNew = try reader.refresh()
    try claim(
      isNew || before == state.changeNumber, "refreshing finds nothing where there is something")
    readerState = state
    let number = try reader.snapshot().changeNumber
    try claim(
      number == state.changeNumber,
      "change number \(number) after refreshing, not \(state.changeNumber)")
    let isNewer = try reader.refresh()
    try claim(!isNewer, "refreshing again finds something")
  }
}
