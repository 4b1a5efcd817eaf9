import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// A store that was closed, and one that was carried through a fork.
@Suite struct ClosedStoreTests {
  @Test func everyMethodOfAClosedStoreThrowsClosed() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    try store.put(numberedRecords(0..<5))
    let snapshot = try store.snapshot()
    try store.close()
    try store.close()
    let before = try DirectoryImage(directory.url)
    let query = Query(.vector(axisVector(0)))
    let calls: [() throws -> Void] = [
      { try store.put(numberedRecords(5..<6)) },
      { try store.put(numberedRecords(5..<6)[0]) },
      { try store.insert(numberedRecords(5..<6)) },
      { try store.update([RecordUpdate(key: "k1", text: .set("t"))]) },
      { try store.remove(["k1"]) },
      { try store.remove("k1", part: 0) },
      { try store.removeAll() },
      { try store.reconcile(with: ["k1"], removingAtMost: 1) },
      { _ = try store.snapshot() },
      { _ = try store.count() },
      { _ = try store.contains("k1") },
      { _ = try store.keys() },
      { _ = try store.missing(from: ["k1"]) },
      { _ = try store.vector(for: "k1") },
      { _ = try store.record(for: "k1") },
      { _ = try store.records(for: "k1") },
      { _ = try store.rows(changedSince: 0) },
      { _ = try store.search(query) },
      { _ = try store.search([query, query]) },
      { _ = try store.search(for: axisVector(0)) },
      { _ = try store.search(like: "k1") },
      { _ = try store.refresh() },
      { try store.synchronize() },
      { try store.prepareForSuspension() },
      { try store.compact() },
      { try store.backup(to: directory.store("backup")) },
      { _ = try store.statistics() },
      { _ = try store.verify() },
    ]
    for (number, call) in calls.enumerated() {
      let error = expectError(.closed, naming: "store") { try call() }
      #expect(error != nil, "call \(number)")
    }
    #expect(!store.needsCompaction)
    #expect(store.openReport.wasCreated)
    #expect(try DirectoryImage(directory.url) == before)
    // What was taken before stays readable.
    #expect(try snapshot.search(query).count == 5)
    #expect(try snapshot.record(for: "k1") != nil)
  }

  @Test func everyAsyncMethodOfAClosedStoreThrowsClosed() async throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.close()
    let query = Query(.vector(axisVector(0)))
    await expectError(.closed) { _ = try await store.search(query) }
    await expectError(.closed) { _ = try await store.search([query]) }
    await expectError(.closed) { _ = try await store.search(for: axisVector(0)) }
    await expectError(.closed) { _ = try await store.compact() }
    for await _ in store.changes { Issue.record("a closed store told of a change") }
  }

  @Test func aClosedStoreCanBeOpenedAgainAtOnce() throws {
    let directory = try TemporaryDirectory()
    let first = try EmbeddingStore(at: directory.store(), space: .small)
    try first.put(numberedRecords(0..<5))
    try first.close()
    let second = try EmbeddingStore(at: directory.store(), space: .small)
    #expect(try second.count() == 5)
    #expect(!second.openReport.wasCreated)
    // Closing the first again must not end the second one's right to write.
    try first.close()
    expectError(.alreadyOpenForWriting) {
      _ = try EmbeddingStore(at: directory.store(), space: .small)
    }
    try second.put(numberedRecords(5..<6))
  }

  #if os(Linux)
    @Test func aStoreCarriedThroughAForkIsRefusedInTheChild() throws {
      let directory = try TemporaryDirectory()
      let worker = try Worker(["fork", directory.store().path])
      var answers: [String] = []
      while let line = worker.readLine() { answers.append(line) }
      let child = ["count", "search", "put", "compact", "refresh", "close"]
      #expect(Array(answers.prefix(child.count)) == child.map { _ in "usedAfterFork" })
      #expect(Array(answers.dropFirst(child.count)) == ["1", "ok"])
    }
  #endif
}
