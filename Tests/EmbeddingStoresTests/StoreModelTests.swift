import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Random operations on a store and on a dictionary: they must agree at every step.
///
/// Vectors are small whole numbers in a space without normalisation, so that vectors and scores
/// are compared for equality.
@Suite struct StoreModelTests {
  // About 20,000 operations in all. Each step prints nothing; the seed replays it.
  @Test(arguments: 0..<12)
  func randomOperationsInMemoryAgreeWithADictionary(number: Int) throws {
    var generator = SeededGenerator(
      "randomOperationsInMemoryAgreeWithADictionary(\(number))", seed: 8_000 + UInt64(number))
    var run = try ModelRun(MemoryFileSystem(), "/store", backups: "/")
    for _ in 0..<1_500 { try run.step(&generator) }
    try run.finish()
  }

  @Test(arguments: 0..<2)
  func randomOperationsOnFilesAgreeWithADictionary(number: Int) throws {
    var generator = SeededGenerator(
      "randomOperationsOnFilesAgreeWithADictionary(\(number))", seed: 8_100 + UInt64(number))
    let directory = try TemporaryDirectory()
    var run = try ModelRun(
      POSIXFileSystem(), directory.store().path, backups: directory.url.path + "/")
    for _ in 0..<1_000 { try run.step(&generator) }
    try run.finish()
  }
}

/// A store, a reader of it, and what both should hold.
private struct ModelRun {
  let fileSystem: any FileSystem
  let path: String
  let backups: String
  var store: EmbeddingStore
  var reader: EmbeddingStore
  var model = StoreModel()
  /// What the reader saw when it was refreshed last.
  var readerModel = StoreModel()
  var snapshots: [(Snapshot, StoreModel)] = []
  var backupCount = 0
  var lastChangeNumber: UInt64 = 0

  init(_ fileSystem: any FileSystem, _ path: String, backups: String) throws {
    self.fileSystem = fileSystem
    self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
    self.backups = backups
    store = try Self.open(fileSystem, self.path)
    reader = try EmbeddingStore(
      fileSystem, path: self.path, space: nil, isReadOnly: true, .manual)
  }

  private static func open(_ fileSystem: any FileSystem, _ path: String) throws -> EmbeddingStore {
    var configuration = StoreConfiguration()
    configuration.compaction.journalByteCount = 40_000
    return try EmbeddingStore(
      fileSystem, path: path, space: .exact, isReadOnly: false, configuration)
  }

  mutating func step(_ generator: inout SeededGenerator) throws {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<35: try put(&generator)
    case 35..<42: try insert(&generator)
    case 42..<57: try update(&generator)
    case 57..<69: try remove(&generator)
    case 69..<75: try removePart(&generator)
    case 75: try removeAll()
    case 76..<78: try reconcile(&generator)
    case 78..<80: try store.compact()
    case 80..<82: try reopen(&generator)
    case 82..<84: try refreshReader()
    case 84..<86: try takeOrCheckSnapshot(&generator)
    case 86: if Bool.random(using: &generator) { try backUp(&generator) }
    default: try search(&generator)
    }
    let number = try store.snapshot().changeNumber
    #expect(number >= lastChangeNumber)
    lastChangeNumber = number
    #expect(try store.count() == model.count)
    if Int.random(in: 0..<100, using: &generator) == 0 { try compare(store, model) }
  }

  mutating func finish() throws {
    try compare(store, model)
    for (snapshot, model) in snapshots { try compare(snapshot, model) }
    try reader.refresh()
    try compare(reader, model)
    #expect(try store.verify().isIntact)
    #expect(store.lastCompactionError == nil)
    try store.close()
    store = try Self.open(fileSystem, path)
    try compare(store, model)
  }

  // MARK: Operations

  private func key(_ generator: inout SeededGenerator) -> String {
    let number = Int.random(in: 0..<40, using: &generator)
    return switch number {
    case 0: "caf\u{e9}"
    case 1: "cafe\u{301}"
    case 2: "\u{0}"
    case 3: String(repeating: "long", count: 200)
    default: "key \(number)"
    }
  }

  private func part(_ generator: inout SeededGenerator) -> UInt16 {
    [0, 0, 0, 1, 2, .max].randomElement(using: &generator) ?? 0
  }

  private func labels(_ generator: inout SeededGenerator) -> Set<String> {
    Set(["a", "b", "caf\u{e9}", "night"].filter { _ in Bool.random(using: &generator) })
  }

  private func date(_ generator: inout SeededGenerator) -> Date {
    Date(
      timeIntervalSince1970: Double(Int.random(in: -1_000_000...2_000_000_000, using: &generator)))
  }

  private func metadata(_ generator: inout SeededGenerator) -> Data {
    Data((0..<Int.random(in: 0..<40, using: &generator)).map { UInt8($0) })
  }

  private func record(_ generator: inout SeededGenerator) -> Record {
    Record(
      key: key(&generator), vector: RandomVectors.integers(dimension: 8, using: &generator),
      part: part(&generator), timestamp: Bool.random(using: &generator) ? date(&generator) : nil,
      labels: labels(&generator),
      metadata: Bool.random(using: &generator) ? metadata(&generator) : nil,
      text: Bool.random(using: &generator)
        ? "text \(UInt8.random(in: 0...9, using: &generator))" : nil)
  }

  private mutating func put(_ generator: inout SeededGenerator) throws {
    let records = (0..<Int.random(in: 1...4, using: &generator)).map { _ in record(&generator) }
    #expect(try store.put(records).putCount == records.count)
    records.forEach { model.put($0) }
  }

  private mutating func insert(_ generator: inout SeededGenerator) throws {
    let records = (0..<Int.random(in: 1...2, using: &generator)).map { _ in record(&generator) }
    let identities = records.map { StoreModel.Identity($0.key, $0.part) }
    let isNew =
      Set(identities).count == identities.count
      && identities.allSatisfy { model.records[$0] == nil }
    if isNew {
      try store.insert(records)
      records.forEach { model.put($0) }
    } else {
      expectError(.duplicateKey) { try store.insert(records) }
    }
  }

  private mutating func update(_ generator: inout SeededGenerator) throws {
    func field<Value>(
      _ value: Value, _ generator: inout SeededGenerator
    ) -> RecordUpdate.Field<Value> {
      [.unchanged, .set(value), .removed].randomElement(using: &generator) ?? .unchanged
    }
    let update = RecordUpdate(
      key: key(&generator), part: part(&generator),
      timestamp: field(date(&generator), &generator), labels: field(labels(&generator), &generator),
      metadata: field(metadata(&generator), &generator), text: field("new text", &generator))
    if model.update(update) {
      #expect(try store.update([update]).putCount == 1)
    } else {
      expectError(.notFound) { try store.update([update]) }
    }
  }

  private mutating func remove(_ generator: inout SeededGenerator) throws {
    let keys = (0..<Int.random(in: 1...3, using: &generator)).map { _ in key(&generator) }
    let expected = keys.reduce(0) { $0 + model.remove($1) }
    #expect(try store.remove(keys).removedCount == expected)
  }

  private mutating func removePart(_ generator: inout SeededGenerator) throws {
    let (key, part) = (key(&generator), part(&generator))
    let isRemoved = model.remove(key, part: part)
    #expect(try store.remove(key, part: part).removedCount == (isRemoved ? 1 : 0))
  }

  private mutating func removeAll() throws {
    #expect(try store.removeAll().removedCount == model.count)
    model.removeAll()
  }

  private mutating func reconcile(_ generator: inout SeededGenerator) throws {
    let kept = try store.keys().filter { _ in Int.random(in: 0..<6, using: &generator) > 0 }
    let keptBytes = Set(kept.map { Array($0.utf8) })
    let gone = model.keys.subtracting(keptBytes)
    if Double(gone.count) <= 0.2 * Double(model.keys.count) {
      try store.reconcile(with: kept)
      for key in gone { model.remove(String(decoding: key, as: UTF8.self)) }
    } else {
      expectError(.tooManyRemovals) { try store.reconcile(with: kept) }
    }
  }

  private mutating func reopen(_ generator: inout SeededGenerator) throws {
    if Bool.random(using: &generator) { try store.close() }
    let fileSystem = fileSystem
    let path = path
    // The old object must be gone before the new one may write.
    store = try EmbeddingStore(inMemory: .exact)
    store = try Self.open(fileSystem, path)
    #expect(store.openReport.unfinishedByteCount == 0)
    try compare(store, model)
  }

  private mutating func refreshReader() throws {
    try compare(reader, readerModel)
    try reader.refresh()
    readerModel = model
    try compare(reader, readerModel)
    #expect(try !reader.refresh())
  }

  private mutating func takeOrCheckSnapshot(_ generator: inout SeededGenerator) throws {
    if snapshots.count < 3 {
      snapshots.append((try store.snapshot(), model))
    } else {
      let (snapshot, then) = snapshots.remove(at: Int.random(in: 0..<3, using: &generator))
      try compare(snapshot, then)
    }
  }

  private mutating func backUp(_ generator: inout SeededGenerator) throws {
    backupCount += 1
    let path = "\(backups)backup \(backupCount)"
    try store.backup(to: URL(filePath: path))
    let copy = try Self.open(fileSystem, path)
    try compare(copy, model)
    #expect(try copy.verify().isIntact)
    #expect(try copy.statistics().deadRowCount == 0)
  }

  private func search(_ generator: inout SeededGenerator) throws {
    let query = RandomVectors.integers(dimension: 8, using: &generator)
    let count = [1, 7, .max].randomElement(using: &generator) ?? 1
    let wanted = ["a", "caf\u{e9}"].randomElement(using: &generator) ?? "a"
    let ranking = model.ranking(for: query)
    try expectEqual(
      store.search(Query(.vector(query), count: count, grouping: .everyPart)),
      ranking.prefix(count))
    try expectEqual(
      store.search(for: query, count: count), StoreModel.bestPerKey(ranking).prefix(count))
    let filtered = model.ranking(for: query) { $0.labels.contains(wanted) }
    try expectEqual(
      store.search(
        Query(
          .vector(query), count: count, filter: Filter(labels: [.any([wanted])]),
          grouping: .everyPart)),
      filtered.prefix(count))
  }

  // MARK: Comparing

  private func compare(_ reader: some EmbeddingReader, _ model: StoreModel) throws {
    #expect(try reader.count() == model.count)
    let keys = try reader.keys()
    let byKey = model.recordsByKey()
    #expect(keys.count == byKey.count)
    for key in keys {
      let expected = byKey[Array(key.utf8), default: []]
      #expect(!expected.isEmpty)
      #expect(try reader.records(for: key) == expected)
    }
    if let record = model.records.values.first {
      #expect(try reader.contains(record.key))
      #expect(try reader.record(for: record.key, part: record.part) == record)
      #expect(try reader.vector(for: record.key, part: record.part) == record.vector)
    }
    let rows = try reader.rows(changedSince: 0)
    #expect(Set(rows.map { StoreModel.Identity($0.key, $0.part) }) == Set(model.records.keys))
    #expect(rows.count == model.count)
    #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.changeNumber < $1.changeNumber })
    let ranking = model.ranking(for: [1, 2, 3, 4, -4, -3, -2, -1])
    try expectEqual(
      reader.search(
        Query(.vector([1, 2, 3, 4, -4, -3, -2, -1]), count: .max, grouping: .everyPart)),
      ranking[...])
  }

  private func expectEqual(
    _ matches: [Match], _ expected: ArraySlice<StoreModel.Scored>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      matches.map { StoreModel.Identity($0.key, $0.part) } == expected.map(\.identity),
      sourceLocation: sourceLocation)
    #expect(
      matches.map { Double($0.score) } == expected.map(\.score), sourceLocation: sourceLocation)
  }
}
