import EmbeddingFiles
import EmbeddingIndexing
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Synchronization
import Testing

/// Items fail in every way there is but hanging (see `EndingRunTests`), and the others of their batches
/// do not notice.
@Suite struct FailingItemTests {
  private static let behaviours: [TestSource.Behaviour] = [
    .unavailable, .throwing, .empty, .encodedAs(.throwing), .encodedAs(.zero),
    .encodedAs(.notANumber), .encodedAs(.wrongDimension), .encodedAs(.tooFew),
  ]

  @Test func threeInTenFailInEveryWayAndAllOthersAreSearchable() async throws {
    let seed = UInt64.random(in: .min ... .max)
    print("FailingItemTests: seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let items = TestSource.items(0..<110)
    let failing = Array(items.shuffled(using: &generator).prefix(33))
    let bench = try TestBench(TestSource(items))
    for (index, item) in failing.enumerated() {
      bench.source.state.withLock {
        $0.behaviours[item.key] = Self.behaviours[index % Self.behaviours.count]
      }
    }
    let indexer = try bench.indexer()
    let progress = try await indexer.run()
    #expect(progress.end == .finished && progress.completed == 77 && progress.processed == 110)
    #expect(progress.deferred == 5 && progress.failed == 28)

    let failed = Set(failing.map(\.key))
    for item in items where !failed.contains(item.key) { #expect(try bench.holds(item)) }
    let everything = try await bench.store.search(for: [1, 0, 0, 0, 0, 0, 0, 0], count: 1_000)
    #expect(everything.count == 77 && failed.isDisjoint(with: everything.map(\.key)))

    let listed = try indexer.failures.failures()
    #expect(Set(listed.map(\.key)) == failed && listed.count == 33)
    for (index, item) in failing.enumerated() {
      let failure = try #require(try indexer.failures.failure(for: item.key))
      #expect(!failure.reason.isEmpty && failure.attemptCount == 1)
      #expect(failure.revision == item.revision && failure.space == .test)
      #expect((failure.kind == .unavailable) == (index % Self.behaviours.count == 0))
    }

    // A second run leaves all of them alone; one for what may be available tries just those.
    let before = bench.encoder.calls.withLock { $0.keys.count }
    #expect(try await indexer.run().total == 0)
    #expect(bench.encoder.calls.withLock { $0.keys.count } == before)

    // They recover: the app says so, or their revision says it.
    bench.source.state.withLock { state in
      state.behaviours = [:]
      state.loadedKeys = []
      for index in state.items.indices where failed.contains(state.items[index].key) {
        if (try? indexer.failures.failure(for: state.items[index].key))??.kind == .broken {
          state.items[index].revision = Revision("2")
        }
      }
    }
    var retrying = bench
    retrying.options.retriesUnavailable = true
    let again = try await retrying.indexer().run()
    #expect(again.completed == 33 && again.failed == 0 && again.deferred == 0)
    #expect(Set(bench.source.state.withLock { $0.loadedKeys }) == failed)
    for item in bench.source.state.withLock({ $0.items }) { #expect(try bench.holds(item)) }
    #expect(try indexer.failures.count() == 0)
  }

  /// Too many and too few would make up for each other in one batch, which nobody can notice.
  @Test func anItemWithTooManyVectorsIsBroken() async throws {
    let bench = try TestBench(TestSource(count: 25))
    bench.source.state.withLock { $0.behaviours = ["item 3": .encodedAs(.tooMany)] }
    let indexer = try bench.indexer()
    #expect(try await indexer.run().completed == 24)
    #expect(try indexer.failures.failures().map(\.key) == ["item 3"])
    for item in TestSource.items(0..<25) where item.key != "item 3" {
      #expect(try bench.holds(item))
    }
  }

  /// A graphics processor that may not be used in the background, say.
  @Test func anEncoderThatFailsForEverythingEndsTheRunAndBreaksNoItem() async throws {
    let bench = try TestBench(TestSource(count: 200))
    bench.source.state.withLock { state in
      for item in state.items { state.behaviours[item.key] = .encodedAs(.throwing) }
    }
    let indexer = try bench.indexer()
    let progress = try await indexer.run()
    guard case .failed(let error) = progress.end else {
      Issue.record("It ended with \(String(describing: progress.end)).")
      return
    }
    #expect(error.code == .encoderFailed && progress.failed == 0 && progress.deferred == 40)
    #expect(try await indexer.plan().new.count == 160)

    bench.source.state.withLock { $0.behaviours = [:] }
    var retrying = bench
    retrying.options.retriesUnavailable = true
    #expect(try await retrying.indexer().run().completed == 200)
  }

  @Test func aLoadThatIsCancelledByItselfIsTriedAgain() async throws {
    let bench = try TestBench(TestSource(count: 3))
    bench.source.state.withLock { $0.behaviours = ["item 1": .cancelling] }
    let indexer = try bench.indexer()
    let progress = try await indexer.run()
    #expect(progress.end == .finished && progress.deferred == 1 && progress.failed == 0)
  }

  /// A run that was killed after it had stored an item which had failed before, and before it forgot
  /// the failure, left that failure in the ledger for good; likewise one that removed an item.
  @Test func theLedgerNeverNamesWhatIsStoredOrWasRemoved() async throws {
    let fileSystem = FaultyFileSystem(MemoryFileSystem())
    let ledgerFails = FaultyFileSystem.Fault(
      .write, onPath: "failures/journal-1", isSticky: true, code: .inputOutput, errorNumber: 5)
    let store = try EmbeddingStore(
      fileSystem, path: "/store", space: .test, isReadOnly: false, StoreConfiguration())
    var bench = try TestBench(TestSource(count: 10), store: store)
    bench.options.retriesUnavailable = true
    let indexer = try bench.indexer()
    bench.source.state.withLock { $0.behaviours["item 3"] = .unavailable }
    #expect(try await indexer.run().deferred == 1)

    bench.source.state.withLock { $0.behaviours = [:] }
    fileSystem.setFaults(ledgerFails)
    #expect(try await indexer.run().completed == 0)
    #expect(try !store.contains("item 3") && indexer.failures.count() == 1)
    fileSystem.endFaults()
    #expect(try await indexer.run().completed == 1)
    #expect(try store.contains("item 3") && indexer.failures.count() == 0)

    bench.source.state.withLock { state in
      state.items[3].revision = Revision("2")
      state.behaviours["item 3"] = .throwing
    }
    #expect(try await indexer.run().failed == 1)
    bench.source.state.withLock { _ = $0.items.remove(at: 3) }
    fileSystem.setFaults(ledgerFails)
    #expect(try await indexer.run().removed == 0)
    fileSystem.endFaults()
    #expect(try await indexer.run().removed == 1)
    #expect(try !store.contains("item 3") && indexer.failures.count() == 0)
  }

  @Test func unavailableItemsComeFirstWhenTheyMayBeAvailable() async throws {
    var bench = try TestBench(TestSource(count: 5))
    bench.source.state.withLock {
      $0.behaviours = ["item 3": .unavailable, "item 4": .unavailable]
    }
    #expect(try await bench.indexer().run().deferred == 2)
    bench.source.state.withLock { state in
      state.items = TestSource.items(3..<60)
      state.behaviours = ["item 4": .unavailable]
      state.loadedKeys = []
    }
    let plan = try await bench.indexer().plan()
    #expect(plan.deferred == ["item 3", "item 4"] && plan.retried.isEmpty)
    bench.options.retriesUnavailable = true
    let indexer = try bench.indexer()
    #expect(try await indexer.plan().retried == ["item 3", "item 4"])
    let progress = try await indexer.run()
    #expect(progress.completed == 56 && progress.deferred == 1)
    #expect(
      Set(bench.source.state.withLock { $0.loadedKeys.prefix(2) }) == ["item 3", "item 4"])
    #expect(try indexer.failures.failure(for: "item 4")?.attemptCount == 2)
  }

  @Test func aBrokenItemIsTriedAgainWhenItChangesOrIsForgotten() async throws {
    let bench = try TestBench(TestSource(count: 2))
    bench.source.state.withLock { $0.behaviours = ["item 1": .throwing] }
    let indexer = try bench.indexer()
    #expect(try await indexer.run().failed == 1)
    #expect(try await indexer.plan().broken == ["item 1"])
    bench.source.state.withLock { $0.items = TestSource.items(0..<2, revision: "2") }
    #expect(try await indexer.plan().workCount == 2)
    #expect(try await indexer.run().failed == 1)
    #expect(try indexer.failures.failure(for: "item 1")?.attemptCount == 1)

    bench.source.state.withLock { $0.behaviours = [:] }
    #expect(try await indexer.run().total == 0)
    try indexer.failures.forget(["item 1", "unknown"])
    #expect(try await indexer.run().completed == 1)
  }

  @Test func anItemThatChangedAndFailsKeepsItsOlderVector() async throws {
    let bench = try TestBench(TestSource(count: 2))
    let indexer = try bench.indexer()
    try await indexer.run()
    bench.source.state.withLock {
      $0.items = TestSource.items(0..<2, revision: "2")
      $0.behaviours = ["item 0": .encodedAs(.zero)]
    }
    #expect(try await indexer.run().failed == 1)
    #expect(try bench.holds(TestSource.items(0..<1)[0]))
    #expect(try await indexer.plan().broken == ["item 0"])
  }

  @Test func itemsThatAreGoneLeaveTheLedgerToo() async throws {
    var bench = try TestBench(TestSource(count: 10))
    bench.options.largestRemovalShare = 1
    let indexer = try bench.indexer()
    try await indexer.run()
    bench.source.state.withLock {
      $0.items = TestSource.items(0..<10, revision: "2")
      $0.behaviours = ["item 9": .throwing]
    }
    try await indexer.run()
    #expect(try indexer.failures.count() == 1)
    // One that was stored before, and one that never was.
    bench.source.state.withLock {
      $0.items.append(SourceItem(key: "never stored"))
      $0.behaviours["never stored"] = .throwing
    }
    try await indexer.run()
    #expect(try indexer.failures.count() == 2)
    bench.source.state.withLock { $0.items = TestSource.items(0..<9, revision: "2") }
    try await indexer.run()
    #expect(try indexer.failures.count() == 0 && bench.store.count() == 9)
  }

  @Test func anEmptySourceThatMayNotRemoveForgetsNoFailure() async throws {
    let bench = try TestBench(TestSource(count: 10))
    bench.source.state.withLock { $0.behaviours = ["item 1": .throwing] }
    let indexer = try bench.indexer()
    try await indexer.run()
    bench.source.state.withLock { $0.items = [] }
    #expect(try await indexer.run().removalError?.code == .tooManyRemovals)
    #expect(try indexer.failures.count() == 1 && bench.store.count() == 9)
  }

  @Test func aFailureIsForgottenWhenItsItemIsAsItIsStored() async throws {
    let bench = try TestBench(TestSource(count: 2))
    let indexer = try bench.indexer()
    try await indexer.run()
    bench.source.state.withLock {
      $0.items = TestSource.items(0..<2, revision: "2")
      $0.behaviours = ["item 1": .throwing]
    }
    try await indexer.run()
    #expect(try indexer.failures.count() == 1)
    // The edit is undone.
    bench.source.state.withLock { $0.items = TestSource.items(0..<2) }
    #expect(try await indexer.run().end == .finished)
    #expect(try indexer.failures.count() == 0)
  }

  @Test func anEntryOfALaterVersionIsPassedOverAndItsItemTriedAgain() async throws {
    let bench = try TestBench(TestSource(count: 2))
    bench.source.state.withLock { $0.behaviours = ["item 1": .throwing] }
    let indexer = try bench.indexer()
    try await indexer.run()
    let ledger = try bench.store.companion(
      named: "failures",
      space: EmbeddingSpace(
        model: "failure-ledger", revision: "1", dimension: 1, normalization: .none))
    try ledger.update([RecordUpdate(key: "item 1", metadata: .set(Data("{\"new\": 1}".utf8)))])
    #expect(try indexer.failures.failures().isEmpty)
    bench.source.state.withLock { $0.behaviours = [:] }
    #expect(try await indexer.run().completed == 2 - 1)
  }

  @Test func theEncoderIsNotLoadedWhenNothingCouldBe() async throws {
    let bench = try TestBench(TestSource(count: 5))
    bench.source.state.withLock { state in
      for item in state.items { state.behaviours[item.key] = .unavailable }
    }
    let loader = EncoderLoader<TestEncoder>(space: .test) { throw TestFailure.loading }
    let indexer = try Indexer(
      store: bench.store, source: bench.source, encoder: loader, throttle: NoThrottle())
    let progress = try await indexer.run()
    #expect(progress.end == .finished && progress.deferred == 5)
  }

  @Test func theLedgerOutlivesTheProcess() async throws {
    let place = try TemporaryDirectory()
    let store = try EmbeddingStore(at: place.store(), space: .test)
    let bench = try TestBench(TestSource(count: 3), store: store)
    bench.source.state.withLock { $0.behaviours = ["item 1": .throwing] }
    let indexer = try bench.indexer()
    let began = Date()
    try await indexer.run()
    try store.close()

    let reopened = try EmbeddingStore(at: place.store(), space: .test)
    let ledger = try FailureLedger(of: reopened)
    let failure = try #require(try ledger.failures().first)
    #expect(failure.key == "item 1" && failure.kind == .broken && failure.reason == "item")
    #expect((began...Date()).contains(failure.lastAttempt.addingTimeInterval(0.001)))
    #expect(try reopened.verify().isIntact && reopened.count() == 2)
  }

  @Test func aReasonOfAnyLengthIsKept() async throws {
    let store = try EmbeddingStore(inMemory: .test)
    let source = LongReasonSource()
    let indexer = try Indexer(store: store, source: source, encoder: TestEncoder())
    #expect(try await indexer.run().deferred == 1)
    let reason = try #require(try indexer.failures.failure(for: "k")?.reason)
    #expect(reason.utf8.count <= 4_100 && reason.hasPrefix("ééé") && reason.hasSuffix("..."))
  }
}

private struct LongReasonSource: ItemSource {
  func pages() -> AsyncThrowingStream<[SourceItem], any Error> {
    AsyncThrowingStream { continuation in
      continuation.yield([SourceItem(key: "k")])
      continuation.finish()
    }
  }

  func inputs(of item: SourceItem) async throws -> [TestInput] {
    throw ItemUnavailable(String(repeating: "é", count: 20 << 20))
  }
}
