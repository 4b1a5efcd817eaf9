import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// What an indexer relies on: a record says which state of its item it was made from, and all parts
/// of an item change together.
@Suite struct RevisionTests {
  @Test func aRevisionStaysThroughCompactionAndReopening() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    let modified = Date(timeIntervalSinceReferenceDate: 12.5)
    try store.put([
      Record(key: "dated", vector: axisVector(0), revision: Revision(modified)),
      Record(key: "named", vector: axisVector(1), revision: Revision("etag")),
      Record(key: "without", vector: axisVector(2)),
    ])
    try store.compact()
    try store.put(Record(key: "later", vector: axisVector(3), revision: Revision("v2")))
    try store.close()

    let reopened = try EmbeddingStore(readingAt: directory.store())
    #expect(try reopened.record(for: "dated")?.revision == Revision(modified))
    #expect(try reopened.record(for: "named")?.revision == Revision("etag"))
    #expect(try reopened.record(for: "without")?.revision == nil)
    #expect(try reopened.record(for: "later")?.revision == Revision("v2"))
  }

  @Test func anUpdateOfDetailsLeavesTheRevision() throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(Record(key: "k", vector: axisVector(0), revision: Revision("v1")))
    try store.update([RecordUpdate(key: "k", labels: .set(["new"]))])
    #expect(try store.record(for: "k")?.revision == Revision("v1"))
    #expect(try store.record(for: "k")?.labels == ["new"])
  }

  @Test func noFingerprintIsTheOneForNone() {
    #expect(Revision(rawValue: 0) == nil)
    #expect(Revision(Date(timeIntervalSinceReferenceDate: 0)).rawValue != 0)
    #expect(Revision("") != Revision(" "))
  }

  @Test(arguments: [false, true])
  func replacingRemovesThePartsThatAnItemNoLongerHas(isCompacted: Bool) throws {
    let store = try EmbeddingStore(inMemory: .small)
    func part(_ key: String, _ part: UInt16, _ text: String) -> Record {
      Record(key: key, vector: axisVector(Int(part)), part: part, text: text)
    }
    try store.put((0..<4).map { part("panorama", $0, "old") } + [part("other", 3, "old")])
    if isCompacted { try store.compact() }
    let before = try store.snapshot().changeNumber
    let commit = try store.replace([
      part("panorama", 0, "new"), part("panorama", 2, "new"), part("fresh", 1, "new"),
    ])
    #expect(commit.removedCount == 2)
    #expect(commit.changeNumber > before)
    #expect(try store.records(for: "panorama").map(\.part) == [0, 2])
    #expect(try store.records(for: "panorama").allSatisfy { $0.text == "new" })
    #expect(try store.records(for: "other").map(\.part) == [3])
    #expect(try store.records(for: "fresh").map(\.part) == [1])
  }

  @Test func replacingIsAllOrNothing() throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put((0..<3).map { Record(key: "k", vector: axisVector($0), part: UInt16($0)) })
    #expect(throws: StoreError.self) {
      try store.replace([
        Record(key: "k", vector: axisVector(5)),
        Record(key: "zero", vector: [Float](repeating: 0, count: 8)),
      ])
    }
    #expect(try store.records(for: "k").map(\.part) == [0, 1, 2])
    #expect(try store.count() == 3)
  }
}
