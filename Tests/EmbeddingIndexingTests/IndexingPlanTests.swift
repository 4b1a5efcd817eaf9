import EmbeddingIndexing
import EmbeddingStores
import Foundation
import Synchronization
import Testing

@Suite struct IndexingPlanTests {
  private func plan(
    _ source: TestSource, _ store: EmbeddingStore, in space: EmbeddingSpace = .test,
    ledger: FailureLedger? = nil, retriesUnavailable: Bool = false, removing share: Double = 1
  ) async throws -> IndexingPlan {
    try await IndexingPlan(
      comparing: source, with: store, in: space, ledger: ledger,
      retriesUnavailable: retriesUnavailable, removingAtMost: share)
  }

  private func storedItems(_ items: [SourceItem]) throws -> EmbeddingStore {
    let store = try EmbeddingStore(inMemory: .test)
    try store.put(
      items.map { Record(key: $0.key, vector: [1, 2, 3, 4, 5, 6, 7, 8], revision: $0.revision) })
    return store
  }

  @Test(arguments: [false, true])
  func tellsNewChangedUnchangedAndGoneItemsApart(isCompacted: Bool) async throws {
    let store = try storedItems(TestSource.items(0..<30))
    if isCompacted { try await store.compact() }
    let source = TestSource(
      TestSource.items(10..<20) + TestSource.items(20..<30, revision: "2")
        + TestSource.items(30..<35))
    let plan = try await plan(source, store)
    #expect(plan.unchangedCount == 10)
    #expect(plan.changed == (20..<30).map { "item \($0)" })
    #expect(plan.new == (30..<35).map { "item \($0)" })
    #expect(Set(plan.gone) == Set((0..<10).map { "item \($0)" }))
    #expect(plan.workCount == 15 && !plan.isUpToDate && plan.sourceError == nil)
  }

  @Test func asksForNoContent() async throws {
    let source = TestSource(count: 20)
    _ = try await plan(source, try storedItems(TestSource.items(5..<40)))
    #expect(source.state.withLock { $0.loadedKeys.isEmpty })
  }

  @Test func anItemWithoutARevisionNeverChanges() async throws {
    let store = try storedItems(TestSource.items(0..<3))
    let source = TestSource((0..<4).map { SourceItem(key: "item \($0)") })
    let plan = try await plan(source, store)
    #expect(plan.unchangedCount == 3 && plan.new == ["item 3"])
  }

  @Test func anItemWhosePartsAreOfDifferentRevisionsHasChanged() async throws {
    let store = try EmbeddingStore(inMemory: .test)
    let vector: [Float] = [1, 0, 0, 0, 0, 0, 0, 0]
    try store.put([
      Record(key: "item 0", vector: vector, revision: Revision("1")),
      Record(key: "item 0", vector: vector, part: 1, revision: Revision("0")),
      Record(key: "item 1", vector: vector, revision: Revision("1")),
      Record(key: "item 1", vector: vector, part: 1, revision: Revision("1")),
    ])
    let plan = try await plan(TestSource(count: 2), store)
    #expect(plan.changed == ["item 0"] && plan.unchangedCount == 1 && plan.duplicateCount == 0)
  }

  @Test func duplicatesAreCountedAndInvalidKeysListed() async throws {
    let long = String(repeating: "k", count: 65_536)
    let source = TestSource(
      TestSource.items(0..<3) + TestSource.items(1..<5)
        + [SourceItem(key: ""), SourceItem(key: long), SourceItem(key: "caf\u{e9}")]
        + [SourceItem(key: "cafe\u{301}"), SourceItem(key: "caf\u{e9}")])
    let plan = try await plan(source, try storedItems(TestSource.items(0..<2)))
    #expect(plan.new == ["item 2", "item 3", "item 4", "caf\u{e9}", "cafe\u{301}"])
    #expect(plan.unchangedCount == 2 && plan.duplicateCount == 3)
    #expect(plan.invalidKeys == ["", String(long.prefix(64))])
  }

  @Test func storedItemsOfAnotherSpaceAreToMove() async throws {
    let store = try storedItems(TestSource.items(0..<3))
    let plan = try await plan(TestSource(count: 4), store, in: .next)
    #expect(plan.movedToAnotherSpace == ["item 0", "item 1", "item 2"])
    #expect(plan.new == ["item 3"] && plan.space == .next)
  }

  @Test(arguments: [0, 1, 3])
  func aSourceThatThrowsMidwayRemovesNothing(page: Int) async throws {
    let store = try storedItems(TestSource.items(0..<40))
    let source = TestSource(count: 50)
    source.state.withLock { $0.failingPage = page }
    let plan = try await plan(source, store)
    #expect(plan.sourceError?.code == .sourceFailed)
    #expect(plan.gone.isEmpty && plan.unchangedCount == 7 * page && !plan.isUpToDate)
  }

  @Test func aCancelledPlanIsAnErrorAndNotAnEmptySource() async throws {
    let store = try storedItems(TestSource.items(0..<10))
    let source = TestSource(count: 10)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await plan(source, store)
    }
    task.cancel()
    let error = await #expect(throws: StoreError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test(arguments: [(0.3, false), (0.29, true), (0, true)])
  func removalObeysItsLimit(share: Double, isRefused: Bool) async throws {
    let store = try storedItems(TestSource.items(0..<10))
    let plan = try await plan(TestSource(count: 7), store, removing: share)
    #expect(plan.gone.count == 3)
    #expect((plan.removalError?.code == .tooManyRemovals) == isRefused)
  }

  @Test(arguments: [-0.1, 1.1, .nan])
  func aShareOutOfRangeIsRefused(share: Double) async throws {
    let store = try storedItems([])
    let error = await #expect(throws: StoreError.self) {
      try await plan(TestSource(count: 1), store, removing: share)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func anEmptySourceForAnEmptyStoreIsUpToDate() async throws {
    #expect(try await plan(TestSource([]), try storedItems([]), removing: 0).isUpToDate)
  }
}
