import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Records that can not be stored: a typed error that names the record, and no change.
@Suite struct InvalidRecordTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: StoreError.Code
    let record: Record
    var space = EmbeddingSpace.small
  }

  static func vector(_ first: Float) -> [Float] { [first] + [Float](repeating: 0.25, count: 7) }

  static let cases = [
    Case(
      testDescription: "7 components", code: .wrongDimension,
      record: Record(key: "bad", vector: axisVector(0).dropLast())),
    Case(
      testDescription: "9 components", code: .wrongDimension,
      record: Record(key: "bad", vector: axisVector(0) + [1])),
    Case(
      testDescription: "no components", code: .wrongDimension,
      record: Record(key: "bad", vector: [])),
    Case(
      testDescription: "NaN", code: .notFinite, record: Record(key: "bad", vector: vector(.nan))),
    Case(
      testDescription: "infinity", code: .notFinite,
      record: Record(key: "bad", vector: vector(.infinity))),
    Case(
      testDescription: "minus infinity without normalisation", code: .notFinite,
      record: Record(key: "bad", vector: vector(-.infinity)), space: .exact),
    Case(
      testDescription: "zero", code: .zeroVector,
      record: Record(key: "bad", vector: [Float](repeating: 0, count: 8))),
    Case(
      testDescription: "minus zero", code: .zeroVector,
      record: Record(key: "bad", vector: [Float](repeating: -0.0, count: 8))),
    Case(
      testDescription: "subnormal numbers", code: .zeroVector,
      record: Record(key: "bad", vector: [Float](repeating: Float(bitPattern: 71_362), count: 8))),
    Case(
      testDescription: "65,520 without normalisation", code: .outOfRange,
      record: Record(key: "bad", vector: vector(65_520)), space: .exact),
    Case(
      testDescription: "-1e30 without normalisation", code: .outOfRange,
      record: Record(key: "bad", vector: vector(-1e30)), space: .exact),
    Case(
      testDescription: "empty key", code: .invalidKey,
      record: Record(key: "", vector: axisVector(0))),
    Case(
      testDescription: "key of 70,000 bytes", code: .invalidKey,
      record: Record(key: String(repeating: "k", count: 70_000), vector: axisVector(0))),
    Case(
      testDescription: "key of 65,536 bytes in 32,768 characters", code: .invalidKey,
      record: Record(key: String(repeating: "é", count: 32_768), vector: axisVector(0))),
    Case(
      testDescription: "empty label", code: .limitExceeded,
      record: Record(key: "bad", vector: axisVector(0), labels: ["a", ""])),
    Case(
      testDescription: "label of 65,536 bytes", code: .limitExceeded,
      record: Record(
        key: "bad", vector: axisVector(0), labels: [String(repeating: "l", count: 65_536)])),
    // Found by these tests: the journal's entry became larger than replay accepts, so a commit that
    // was acknowledged was gone, with all behind it, when the store was opened again.
    Case(
      testDescription: "labels of 17 MB together", code: .limitExceeded,
      record: Record(
        key: "bad", vector: axisVector(0),
        labels: Set((0..<265).map { "\($0)" + String(repeating: "l", count: 65_000) }))),
    Case(
      testDescription: "metadata of 16 MiB and a byte", code: .limitExceeded,
      record: Record(
        key: "bad", vector: axisVector(0), metadata: Data(count: (16 << 20) + 1))),
    Case(
      testDescription: "text of 16 MiB and a byte", code: .limitExceeded,
      record: Record(
        key: "bad", vector: axisVector(0), text: String(repeating: "t", count: (16 << 20) + 1))),
    Case(
      testDescription: "timestamp that is not a number", code: .invalidArgument,
      record: Record(
        key: "bad", vector: axisVector(0), timestamp: Date(timeIntervalSince1970: .nan))),
    Case(
      testDescription: "timestamp beyond Int64", code: .invalidArgument,
      record: Record(
        key: "bad", vector: axisVector(0), timestamp: Date(timeIntervalSince1970: 1e18))),
  ]

  @Test(arguments: cases)
  func aBatchWithOneBadRecordStoresNoneAndNamesIt(bad: Case) throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: bad.space)
    try store.put(numberedRecords(0..<2))
    let before = try DirectoryImage(directory.url)
    let number = try store.snapshot().changeNumber
    let batch = numberedRecords(2..<4) + [bad.record] + numberedRecords(4..<6)
    for write in [store.put, store.insert] as [([Record]) throws(StoreError) -> Commit] {
      let error = expectError(bad.code) { _ = try write(batch) }
      #expect(error?.key == bad.record.key)
      let key = String(bad.record.key.prefix(40))
      #expect(key.isEmpty || (error?.message.contains(key) ?? false))
      #expect((error?.message.utf8.count ?? 0) < 1_000)
    }
    #expect(try DirectoryImage(directory.url) == before)
    #expect(try store.count() == 2)
    #expect(try store.snapshot().changeNumber == number)
    try store.put(numberedRecords(2..<4))
    #expect(try store.count() == 4)
  }

  @Test func theLargestThatIsAllowedIsStored() throws {
    let store = try EmbeddingStore(inMemory: .exact, configuration: .manual)
    let record = Record(
      key: String(repeating: "k", count: 65_535),
      vector: [65_504, -65_504, 0, -0.0, 1e-7, 0, 0, 1],
      part: .max, timestamp: Date(timeIntervalSince1970: -1e9),
      labels: [String(repeating: "l", count: 65_535)], metadata: Data(count: 16 << 20),
      text: String(repeating: "t", count: 16 << 20))
    try store.put(record)
    for _ in 0..<2 {
      let found = try #require(try store.record(for: record.key, part: .max))
      #expect(found.metadata == record.metadata)
      #expect(found.text == record.text)
      #expect(found.labels == record.labels)
      #expect(found.timestamp == record.timestamp)
      #expect(found.vector[0] == 65_504 && found.vector[1] == -65_504 && found.vector[7] == 1)
      try store.compact()
    }
  }

  @Test func aZeroVectorIsARowWhereNothingIsNormalised() throws {
    let store = try EmbeddingStore(inMemory: .exact)
    try store.put(Record(key: "zero", vector: [Float](repeating: 0, count: 8)))
    try store.put(Record(key: "minus", vector: [Float](repeating: -0.0, count: 8)))
    let matches = try store.search(for: axisVector(0))
    #expect(matches.map(\.key) == ["minus", "zero"])
    #expect(matches.allSatisfy { $0.score == 0 })
  }

  @Test func updatesAreCheckedAsRecordsAre() throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<3))
    let before = try store.snapshot().changeNumber
    let good = RecordUpdate(key: "k0", text: .set("changed"))
    let bad: [(StoreError.Code, RecordUpdate)] = [
      (.notFound, RecordUpdate(key: "unknown", text: .set("t"))),
      (.notFound, RecordUpdate(key: "k1", part: 1, text: .set("t"))),
      (.invalidKey, RecordUpdate(key: "", text: .set("t"))),
      (.limitExceeded, RecordUpdate(key: "k1", labels: .set([""]))),
      (.limitExceeded, RecordUpdate(key: "k1", metadata: .set(Data(count: (16 << 20) + 1)))),
      (
        .invalidArgument,
        RecordUpdate(key: "k1", timestamp: .set(Date(timeIntervalSince1970: .infinity)))
      ),
    ]
    for (code, update) in bad {
      expectError(code, naming: update.key) { try store.update([good, update]) }
    }
    #expect(try store.record(for: "k0")?.text == nil)
    #expect(try store.snapshot().changeNumber == before)
  }

  @Test func insertRefusesWhatIsThereOrTwiceInTheBatch() throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.insert(numberedRecords(0..<3))
    expectError(.duplicateKey, naming: "k2") { try store.insert(numberedRecords(2..<5)) }
    let twice = numberedRecords(5..<6) + numberedRecords(5..<6)
    expectError(.duplicateKey, naming: "k5") { try store.insert(twice) }
    #expect(try store.count() == 3)
    // Another part, and a key of other bytes that Swift calls equal, are new.
    try store.insert([
      Record(key: "k2", vector: axisVector(0), part: 1),
      Record(key: "caf\u{e9}", vector: axisVector(0)),
      Record(key: "cafe\u{301}", vector: axisVector(0)),
    ])
    #expect(try store.count() == 6)
    try store.remove(["k2"])
    try store.insert(numberedRecords(2..<3))
    #expect(try store.count() == 5)
  }

  @Test func reconcileRefusesAShareThatIsNone() throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<10))
    for share in [-0.1, 1.1, .nan, .infinity] {
      expectError(.invalidArgument) { try store.reconcile(with: [], removingAtMost: share) }
    }
    expectError(.tooManyRemovals, naming: "10") { try store.reconcile(with: []) }
    expectError(.tooManyRemovals, naming: "3") {
      try store.reconcile(with: (0..<7).map { "k\($0)" })
    }
    #expect(try store.count() == 10)
    #expect(try store.reconcile(with: (2..<10).map { "k\($0)" }).removedCount == 2)
    #expect(try store.reconcile(with: [], removingAtMost: 1).removedCount == 8)
  }

  @Test(arguments: [
    EmbeddingSpace(model: "", dimension: 8), EmbeddingSpace(model: "m", dimension: 0),
    EmbeddingSpace(model: "m", dimension: -1), EmbeddingSpace(model: "m", dimension: 4_097),
    EmbeddingSpace(model: "m", dimension: .max),
    EmbeddingSpace(model: String(repeating: "m", count: 1_025), dimension: 8),
    EmbeddingSpace(model: "m", revision: String(repeating: "r", count: 257), dimension: 8),
  ])
  func aSpaceOutOfRangeIsRefused(space: EmbeddingSpace) throws {
    let directory = try TemporaryDirectory()
    expectError(.invalidArgument) { _ = try EmbeddingStore(at: directory.store(), space: space) }
    expectError(.invalidArgument) { _ = try EmbeddingStore(inMemory: space) }
    #expect(try DirectoryImage(directory.url).files.isEmpty)
  }
}
