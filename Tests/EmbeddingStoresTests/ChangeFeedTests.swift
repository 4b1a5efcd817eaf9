import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Being told of commits, and asking what changed.
@Suite struct ChangeFeedTests {
  @Test(.timeLimit(.minutes(1))) func everyListenerLearnsOfTheNewestCommit() async throws {
    let store = try EmbeddingStore(inMemory: .small)
    var first = store.changes.makeAsyncIterator()
    var second = store.changes.makeAsyncIterator()
    let commit = try store.put(numberedRecords(0..<3))
    #expect(await first.next() == commit)
    #expect(await second.next() == commit)
    try store.remove(["unknown"])
    try store.put([])
    let removal = try store.remove(["k0", "k1"])
    #expect(removal.removedCount == 2 && removal.putCount == 0)
    #expect(removal.changeNumber > commit.changeNumber)
    #expect(await first.next() == removal)
    // A slow listener skips to the newest.
    try store.put(numberedRecords(5..<6))
    let last = try store.put(numberedRecords(6..<8))
    #expect(await second.next() == last)
    try store.close()
    #expect(await first.next() == last)
    #expect(await first.next() == nil)
    #expect(await second.next() == nil)
  }

  @Test(.timeLimit(.minutes(1))) func theStreamEndsWithTheStore() async throws {
    var store: EmbeddingStore? = try EmbeddingStore(inMemory: .small)
    let changes = try #require(store?.changes)
    store = nil
    for await _ in changes { Issue.record("there was no commit") }
  }

  @Test(.timeLimit(.minutes(1))) func refreshTellsOfOtherProcesses() async throws {
    let directory = try TemporaryDirectory()
    let worker = try Worker(["serve", directory.store().path])
    #expect(worker.readLine() == "ready")
    let reader = try EmbeddingStore(readingAt: directory.store())
    var changes = reader.changes.makeAsyncIterator()
    #expect(try worker.ask("put a 1") == "ok")
    try reader.refresh()
    #expect(await changes.next()?.changeNumber == (try reader.snapshot().changeNumber))
    try reader.refresh()
    #expect(try worker.ask("put b 2") == "ok")
    try reader.refresh()
    #expect(await changes.next()?.changeNumber == (try reader.snapshot().changeNumber))
  }

  @Test func rowsChangedSinceAreExactlyThoseThatWere() throws {
    let store = try EmbeddingStore(inMemory: .small)
    #expect(try store.rows(changedSince: 0) == [])
    try store.put(numberedRecords(0..<5))
    try store.put(Record(key: "k1", vector: axisVector(1), part: 4))
    let number = try store.snapshot().changeNumber
    #expect(try store.rows(changedSince: 0).map(\.key) == ["k0", "k1", "k2", "k3", "k4", "k1"])
    try store.update([RecordUpdate(key: "k3", text: .set("t"))])
    try store.put(numberedRecords(1..<2))
    try store.put(numberedRecords(9..<10))
    try store.remove(["k9", "k0"])
    for _ in 0..<2 {
      let rows = try store.rows(changedSince: number)
      #expect(rows.map(\.key) == ["k3", "k1"])
      #expect(rows.map(\.part) == [0, 0])
      #expect(rows.allSatisfy { $0.changeNumber > number })
      #expect(try store.rows(changedSince: try store.snapshot().changeNumber) == [])
      #expect(try store.rows(changedSince: .max) == [])
      #expect(try store.rows(changedSince: 0).count == (try store.count()))
      try store.compact()
    }
  }
}
