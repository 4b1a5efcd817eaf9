import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Bugs that users reported of other vector stores, about removing, replacing and keys. Each test
/// names its report (see the bug log); none of them may happen here.
@Suite struct ReportedDeletionTests {
  // USearch #355: after removing all 500 vectors the count was 448, and adding them again crashed.
  @Test func removingAndAddingAllAgainKeepsTheCount() throws {
    let store = try EmbeddingStore(inMemory: .small)
    let records = numberedRecords(0..<100)
    for cycle in 0..<20 {
      try store.put(records)
      #expect(try store.count() == 100)
      #expect(try store.remove(records.map(\.key)).removedCount == 100)
      #expect(try store.count() == 0)
      #expect(try store.keys() == [])
      if cycle % 5 == 4 { try store.compact() }
    }
  }

  // USearch #494: get() of a key that was never added returned another key's vector.
  @Test(arguments: [false, true])
  func aMissingKeyHasNoVector(isCompacted: Bool) throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<50))
    if isCompacted { try store.compact() }
    try store.remove(["k7"])
    for key in ["k7", "k50", "", "K1", "k1 ", "k"] {
      #expect(try store.vector(for: key) == nil)
      #expect(try store.record(for: key) == nil)
      #expect(try store.records(for: key) == [])
      #expect(try !store.contains(key))
    }
    #expect(try store.vector(for: "k1", part: 1) == nil)
    #expect(try store.missing(from: ["k7", "k1", "k50"]) == ["k7", "k50"])
  }

  // USearch PR 506: removing from an index that was opened as a view crashed.
  @Test func everyChangeOfAReadOnlyStoreIsRefused() throws {
    let directory = try TemporaryDirectory()
    let writer = try EmbeddingStore(at: directory.store(), space: .small)
    try writer.put(numberedRecords(0..<3))
    let before = try DirectoryImage(directory.url)
    let store = try EmbeddingStore(readingAt: directory.store())
    let path = directory.store().lastPathComponent
    expectError(.readOnly, naming: path) { try store.put(numberedRecords(0..<1)) }
    expectError(.readOnly, naming: path) { try store.insert(numberedRecords(5..<6)) }
    expectError(.readOnly, naming: path) {
      try store.update([RecordUpdate(key: "k1", text: .set("new"))])
    }
    expectError(.readOnly, naming: path) { try store.remove(["k1"]) }
    expectError(.readOnly, naming: path) { try store.remove("k1", part: 0) }
    expectError(.readOnly, naming: path) { try store.removeAll() }
    expectError(.readOnly, naming: path) {
      try store.reconcile(with: ["k1"], removingAtMost: 1)
    }
    expectError(.readOnly, naming: path) { try store.compact() }
    #expect(try DirectoryImage(directory.url) == before)
    #expect(try store.count() == 3)
  }

  // hnswlib #309: a key that was deleted and added again stayed deleted.
  @Test(arguments: [false, true])
  func aKeyThatIsAddedAgainIsFound(isCompacted: Bool) throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<10))
    try store.remove(["k3"])
    if isCompacted { try store.compact() }
    try store.put(numberedRecords(3..<4))
    if isCompacted { try store.compact() }
    let vector = RandomVectors.vector(number: 3, dimension: 8)
    #expect(try store.search(for: vector, count: 1).first?.key == "k3")
    #expect(try store.keys().count == 10)
    #expect(Set(try store.keys()) == Set((0..<10).map { "k\($0)" }))
  }

  // hnswlib PR 487, PR 541; chroma PR 2621: replacing put two rows under one label, or a search
  // gave back a deleted one.
  @Test func aLiveKeyIsFoundOnceAndADeadOneNever() throws {
    var generator = SeededGenerator("aLiveKeyIsFoundOnceAndADeadOneNever", seed: 4_001)
    let store = try EmbeddingStore(inMemory: .small)
    var live: Set<String> = []
    for step in 0..<200 {
      let key = "k\(Int.random(in: 0..<20, using: &generator))"
      if Bool.random(using: &generator) {
        let vector = RandomVectors.vector(dimension: 8, using: &generator)
        try store.put(Record(key: key, vector: vector))
        live.insert(key)
      } else {
        try store.remove([key])
        live.remove(key)
      }
      if step % 37 == 36 { try store.compact() }
      let found = try store.search(for: axisVector(step), count: 100).map(\.key)
      #expect(found.count == live.count)
      #expect(Set(found) == live)
    }
  }

  // faiss #190, #224, #879: automatic ids began again at the count after removals, so two rows had
  // one id. Here change numbers identify changes: they never repeat.
  @Test func changeNumbersAreNeverUsedAgain() throws {
    let memory = MemoryFileSystem()
    var seen: Set<UInt64> = []
    for round in 0..<6 {
      let store = try EmbeddingStore.open(on: memory)
      let last = try store.snapshot().changeNumber
      try store.remove(["k0", "k1"])
      try store.put(numberedRecords(0..<5))
      for row in try store.rows(changedSince: last) {
        #expect(seen.insert(row.changeNumber).inserted)
      }
      #expect(try store.count() == 5)
      if round % 2 == 0 { try store.removeAll() }
      try store.compact()
      try store.close()
    }
    #expect(seen.count == 30)
  }

  // faiss #1379, #4656: removing one vector shifted the ids of all behind it.
  @Test func removingARowLeavesTheOthersUnderTheirKeys() throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<50))
    for _ in 0..<2 {
      let first = try #require(try store.keys().first)
      try store.remove([first])
      for key in try store.keys() {
        let vector = try #require(try store.vector(for: key))
        #expect(try store.search(for: vector, count: 1).first?.key == key)
      }
      try store.compact()
    }
    #expect(try store.count() == 48)
  }

  // sqlite-vec #259, #150, #127: an upsert failed, or made a second row.
  @Test func puttingAKeyAThousandTimesKeepsOneRowAndABoundedJournal() throws {
    var configuration = StoreConfiguration()
    configuration.compaction.journalByteCount = 16_384
    let store = try EmbeddingStore(inMemory: .small, configuration: configuration)
    var largest = 0
    for number in 0..<1_000 {
      try store.put(Record(key: "k", vector: axisVector(number), text: "\(number)"))
      largest = max(largest, try store.statistics().journalByteCount)
    }
    #expect(try store.count() == 1)
    #expect(try store.record(for: "k")?.text == "999")
    #expect(try store.search(for: axisVector(999), count: 5).map(\.key) == ["k"])
    #expect(largest < 2 * 16_384)
    #expect(store.lastCompactionError == nil)
  }

  // rka-core PR 113: an update that failed was only logged, and the old vector stayed unnoticed.
  @Test func aPutThatFailsThrowsAndLeavesTheOldRecord() throws {
    let faults = FaultyFileSystem(MemoryFileSystem())
    let store = try EmbeddingStore.open(on: faults)
    try store.put(Record(key: "k", vector: axisVector(0), text: "old"))
    faults.setFaults(.inputOutput(.write))
    expectError(.inputOutput, naming: "journal") {
      try store.put(Record(key: "k", vector: axisVector(1), text: "new"))
    }
    #expect(try store.record(for: "k")?.text == "old")
    #expect(try store.search(for: axisVector(0), count: 9).count == 1)
    try store.put(Record(key: "k", vector: axisVector(1), text: "new"))
    #expect(try store.record(for: "k")?.text == "new")
  }

  // sqlite-vec #54, #178, #220: deleting never gave space back; files grew to gigabytes.
  @Test func replacingEverythingAgainAndAgainDoesNotGrowTheStore() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(
      at: directory.store(), space: .small, configuration: .manual)
    let records = numberedRecords(0..<1_000)
    try store.put(records)
    try store.compact()
    let size = try DirectoryImage(directory.url).byteCount
    for _ in 0..<30 {
      try store.put(records)
      try store.compact()
    }
    #expect(try DirectoryImage(directory.url).byteCount <= size * 11 / 10)
    #expect(try store.statistics().deadRowCount == 0)
  }

  // chroma PR 7693 (#7662): after a vacuum the bytes of deleted vectors were still on the disk.
  @Test func removedDataIsGoneFromTheDiskAfterCompaction() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .exact)
    let marker = Data("secret-marker-\(UInt64.random(in: .min ... .max))".utf8)
    let text = String(decoding: marker, as: UTF8.self)
    // A row of 1.0 0.5 2.0 ... in Float16 is a pattern that no other row has.
    let vector: [Float] = [1, 0.5, 2, -1, -0.5, -2, 4, -4]
    let row = Data([0x00, 0x3c, 0x00, 0x38, 0x00, 0x40, 0x00, 0xbc, 0x00, 0xb8, 0x00, 0xc0])
    try store.put(numberedRecords(0..<5))
    try store.put(
      Record(key: text + "-key", vector: vector, labels: [text], metadata: marker, text: text))
    try store.put(Record(key: "replaced", vector: vector, text: text))
    try store.update([RecordUpdate(key: "k1", text: .set(text))])
    try store.compact()
    #expect(try DirectoryImage(directory.url).contains(row))
    try store.remove([text + "-key"])
    try store.put(Record(key: "replaced", vector: axisVector(0)))
    try store.update([RecordUpdate(key: "k1", text: .removed)])
    try store.compact()
    #expect(try !DirectoryImage(directory.url).contains(marker))
    #expect(try !DirectoryImage(directory.url).contains(row))
    #expect(try store.count() == 6)
  }

  // qdrant #4627, #4410; bloop PR 176: deleted points came back empty after a restart, and indexing
  // everything again doubled it.
  @Test func removedRowsStayRemovedAndIndexingAgainDoublesNothing() throws {
    let directory = try TemporaryDirectory()
    let records = numberedRecords(0..<40)
    do {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      try store.put(records)
      try store.remove((0..<10).map { "k\($0)" })
    }
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    #expect(try store.count() == 30)
    #expect(try store.missing(from: records.map(\.key)).count == 10)
    try store.put(records)
    #expect(try store.count() == 40)
    try store.put(records)
    #expect(try store.count() == 40)
    #expect(try store.search(for: axisVector(0), count: 100).count == 40)
  }
}
