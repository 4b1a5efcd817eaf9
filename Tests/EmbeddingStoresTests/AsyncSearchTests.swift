import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Synchronization
import Testing

/// Searching and compacting with `await`, and ending it early.
@Suite struct AsyncSearchTests {
  @Test func asyncSearchesFindWhatTheOthersFind() async throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<100, labels: ["a"]))
    let queries = (0..<10).map { Query(.vector(axisVector($0)), count: 7) }
    let expected = try searchNow(store, queries)
    #expect(try await store.search(queries) == expected)
    #expect(try await store.search(queries[3]) == expected[3])
    #expect(try await store.search(for: axisVector(3), count: 7) == expected[3])
    let snapshot = try store.snapshot()
    #expect(try await snapshot.search(queries) == expected)
    await expectError(.wrongDimension) { _ = try await store.search(for: [1]) }
  }

  private func searchNow(_ store: EmbeddingStore, _ queries: [Query]) throws -> [[Match]] {
    try store.search(queries)
  }

  @Test(.timeLimit(.minutes(1)))
  func aCancelledSearchThrowsCancelled() async throws {
    let store = try EmbeddingStore(inMemory: .small, configuration: .manual)
    try store.put(numberedRecords(0..<100))
    let isSearching = Mutex(false)
    let mayGoOn = DispatchSemaphore(value: 0)
    let query = Query(
      .vector(axisVector(0)), count: .max,
      where: { _ in
        // The first row waits until the search was cancelled.
        let isFirst = isSearching.withLock { isSearching in
          defer { isSearching = true }
          return !isSearching
        }
        if isFirst { mayGoOn.wait() }
        return true
      })
    let task = Task { try await store.search(query) }
    while !isSearching.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    task.cancel()
    mayGoOn.signal()
    await expectError(.cancelled) { _ = try await task.value }
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.search([Query](repeating: Query(.vector(axisVector(0))), count: 8))
    }
    await expectError(.cancelled) { _ = try await early.value }
  }

  @Test func aCancelledCompactionChangesNothing() async throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    try store.put(numberedRecords(0..<3_000))
    let before = try DirectoryImage(directory.url)
    let task = Task {
      try await store.compact { progress in
        if progress.completedRowCount > 0 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await expectError(.cancelled) { _ = try await task.value }
    #expect(try DirectoryImage(directory.url) == before)
    #expect(try store.count() == 3_000)
    #expect(try await store.compact())
    #expect(try store.count() == 3_000)
  }
}
