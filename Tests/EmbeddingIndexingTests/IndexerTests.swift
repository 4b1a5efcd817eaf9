import EmbeddingFiles
import EmbeddingIndexing
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct IndexerTests {
  @Test func storesEveryItemAndThenHasNothingToDo() async throws {
    let bench = try TestBench(TestSource(count: 53))
    let indexer = try bench.indexer()
    let first = try await indexer.run()
    #expect(first.end == .finished && first.completed == 53 && first.total == 53)
    for item in TestSource.items(0..<53) { #expect(try bench.holds(item)) }
    #expect(bench.encoder.calls.withLock { $0.batchSizes } == [20, 20, 13])

    let second = try await indexer.run()
    #expect(second.end == .finished && second.total == 0)
    #expect(bench.encoder.calls.withLock { $0.keys.count } == 53)
    #expect(try await indexer.plan().isUpToDate)
  }

  @Test func everyBatchIsOneCommit() async throws {
    let bench = try TestBench(TestSource(count: 40))
    let counts = Mutex<[Int]>([])
    try await bench.indexer().run { _ in
      counts.withLock { $0.append((try? bench.store.count()) ?? -1) }
    }
    #expect(counts.withLock { $0 } == [0, 20, 40, 40])
  }

  @Test func encodesChangedItemsAgainAndRemovesThoseThatAreGone() async throws {
    var bench = try TestBench(TestSource(count: 10))
    bench.options.largestRemovalShare = 0.5
    try await bench.indexer().run()
    bench.source.state.withLock {
      $0.items = TestSource.items(2..<5, revision: "2") + TestSource.items(5..<12)
    }
    let progress = try await bench.indexer().run()
    #expect(progress.completed == 5 && progress.removed == 2 && progress.end == .finished)
    #expect(try bench.store.count() == 10)
    for item in bench.source.state.withLock({ $0.items }) { #expect(try bench.holds(item)) }
    #expect(bench.encoder.calls.withLock { $0.keys.count } == 15)
  }

  @Test func removesNothingWhenTooMuchWouldGo() async throws {
    let bench = try TestBench(TestSource(count: 10))
    try await bench.indexer().run()
    bench.source.state.withLock { $0.items = TestSource.items(5..<11) }
    let progress = try await bench.indexer().run()
    #expect(progress.removalError?.code == .tooManyRemovals && progress.removed == 0)
    #expect(progress.end == .finished && progress.completed == 1)
    #expect(try bench.store.count() == 11)
  }

  @Test func aSourceThatThrowsMidwayIsIndexedThatFarAndRemovesNothing() async throws {
    let bench = try TestBench(TestSource(count: 30))
    try await bench.indexer().run()
    bench.source.state.withLock {
      $0.items = TestSource.items(25..<60)
      $0.failingPage = 3
    }
    let progress = try await bench.indexer().run()
    guard case .failed(let error) = progress.end else {
      Issue.record("It ended with \(String(describing: progress.end)).")
      return
    }
    #expect(error.code == .sourceFailed)
    #expect(try bench.store.count() == 46 && progress.completed == 16 && progress.removed == 0)
  }

  @Test func itemsThatVanishAfterThePlanAreNotWaitedFor() async throws {
    var bench = try TestBench(TestSource(count: 30))
    bench.options.largestRemovalShare = 1
    let indexer = try bench.indexer()
    try await indexer.run()
    bench.source.state.withLock { $0.items = TestSource.items(10..<50) }
    let plan = try await indexer.plan()
    // Some go, and one that was thought to be gone is back.
    bench.source.state.withLock {
      $0.items = TestSource.items(9..<30) + TestSource.items(35..<50) + TestSource.items(60..<70)
    }
    let progress = try await indexer.run(plan)
    #expect(progress.end == .finished && progress.completed == 15 && progress.total == 15)
    #expect(progress.removed == 9)
    #expect(try bench.store.contains("item 9") && !bench.store.contains("item 60"))
  }

  @Test func aDuplicateIsEncodedOnce() async throws {
    let source = TestSource(
      TestSource.items(0..<5) + TestSource.items(0..<5, revision: "other")
        + [SourceItem(key: ""), SourceItem(key: String(repeating: "k", count: 70_000))])
    let bench = try TestBench(source)
    let progress = try await bench.indexer().run()
    #expect(progress.completed == 5 && progress.end == .finished && progress.failed == 0)
    for item in TestSource.items(0..<5) { #expect(try bench.holds(item)) }
  }

  @Test func severalInputsBecomePartsAndFewerReplaceThem() async throws {
    let bench = try TestBench(TestSource(count: 3))
    bench.source.state.withLock { $0.inputCounts = ["item 1": 4] }
    try await bench.indexer().run()
    #expect(try bench.holds(TestSource.items(1..<2)[0], parts: 4))
    #expect(try bench.store.count() == 6)

    bench.source.state.withLock {
      $0.items = TestSource.items(0..<3, revision: "2")
      $0.inputCounts = ["item 1": 2]
    }
    try await bench.indexer().run()
    #expect(try bench.holds(TestSource.items(1..<2, revision: "2")[0], parts: 2))
    #expect(try bench.store.count() == 4)
  }

  @Test func detailsThatTheSourceDoesNotGiveAreKept() async throws {
    let date = Date(timeIntervalSince1970: 1_000)
    let bench = try TestBench(
      TestSource([SourceItem(key: "a", revision: Revision("1"), labels: ["from the source"])]))
    try await bench.indexer().run()
    try bench.store.update([
      RecordUpdate(
        key: "a", timestamp: .set(date), labels: .set(["by hand"]), metadata: .set(Data([1])),
        text: .set("recognised"))
    ])
    bench.source.state.withLock { $0.items = [SourceItem(key: "a", revision: Revision("2"))] }
    try await bench.indexer().run()
    let kept = try #require(try bench.store.record(for: "a"))
    #expect(kept.timestamp == date && kept.labels == ["by hand"])
    #expect(kept.metadata == Data([1]) && kept.text == "recognised")

    bench.source.state.withLock {
      $0.items = [
        SourceItem(key: "a", revision: Revision("3"), labels: [], metadata: Data(), text: "new")
      ]
    }
    try await bench.indexer().run()
    let replaced = try #require(try bench.store.record(for: "a"))
    #expect(replaced.timestamp == date && replaced.labels == [] && replaced.text == "new")
    #expect(replaced.metadata == Data())
  }

  @Test func theEncoderIsLoadedOnceAndOnlyForWork() async throws {
    let bench = try TestBench(TestSource(count: 45))
    let loadCount = Mutex(0)
    func indexer(_ minimum: Int) throws -> Indexer<TestSource, TestEncoder> {
      var options = bench.options
      options.minimumWorkCount = minimum
      let loader = EncoderLoader(space: .test) {
        loadCount.withLock { $0 += 1 }
        return bench.encoder
      }
      return try Indexer(
        store: bench.store, source: bench.source, encoder: loader, options: options,
        throttle: NoThrottle())
    }
    let waiting = try await indexer(46).run()
    #expect(waiting.end == .tooLittleWork && waiting.completed == 0 && waiting.total == 45)
    #expect(loadCount.withLock { $0 } == 0)
    #expect(try await indexer(45).run().end == .finished)
    #expect(loadCount.withLock { $0 } == 1)
    #expect(try await indexer(1).run().end == .finished)
    #expect(loadCount.withLock { $0 } == 1)
  }

  @Test func anEncoderOfAnotherSpaceIsRefusedBeforeAnythingRuns() async throws {
    let bench = try TestBench(TestSource(count: 3))
    let error = #expect(throws: StoreError.self) {
      try Indexer(store: bench.store, source: bench.source, encoder: TestEncoder(space: .next))
    }
    #expect(error?.code == .spaceMismatch)
    #expect(error?.message.contains("SpaceMigration") == true)

    // One that turns out to be another when it is loaded.
    let loader = EncoderLoader(space: .test) { TestEncoder(space: .next) }
    let indexer = try Indexer(store: bench.store, source: bench.source, encoder: loader)
    let progress = try await indexer.run()
    guard case .failed(let failure) = progress.end else {
      Issue.record("It ended with \(String(describing: progress.end)).")
      return
    }
    #expect(failure.code == .spaceMismatch)
    #expect(try bench.store.count() == 0 && indexer.failures.count() == 0)
  }

  @Test func anEncoderThatCanNotBeLoadedEndsTheRunAndBlamesNoItem() async throws {
    let bench = try TestBench(TestSource(count: 3))
    let loader = EncoderLoader<TestEncoder>(space: .test) { throw TestFailure.loading }
    let indexer = try Indexer(store: bench.store, source: bench.source, encoder: loader)
    guard case .failed(let error) = try await indexer.run().end else {
      Issue.record("It did not fail.")
      return
    }
    #expect(error.code == .encoderFailed && error.message.contains("loading"))
    #expect(try indexer.failures.count() == 0)
  }

  @Test func aPlanOfAnotherStoreIsRefused() async throws {
    var bench = try TestBench(TestSource(count: 10))
    bench.options.largestRemovalShare = 1
    let indexer = try bench.indexer()
    try await indexer.run()
    let other = try EmbeddingStore(inMemory: .test)
    try other.put(Record(key: "item 1", vector: [1, 0, 0, 0, 0, 0, 0, 0]))
    let foreign = try await IndexingPlan(comparing: TestSource([]), with: other, in: .test)
    let error = await #expect(throws: StoreError.self) { try await indexer.run(foreign) }
    #expect(error?.code == .foreignPlan)
    #expect(try bench.store.count() == 10)
  }

  @Test func aPlanThatOnlyRemovesLooksAtTheSourceAgain() async throws {
    var bench = try TestBench(TestSource(count: 10))
    bench.options.largestRemovalShare = 1
    let indexer = try bench.indexer()
    try await indexer.run()
    bench.source.state.withLock { $0.items = [] }
    let plan = try await indexer.plan()
    #expect(plan.gone.count == 10)
    bench.source.state.withLock { $0.items = TestSource.items(0..<9) }
    #expect(try await indexer.run(plan).removed == 1)
    #expect(try bench.store.count() == 9)
  }

  @Test func aPlanThatAllowsMoreToGoThanTheIndexerRemovesNothing() async throws {
    let bench = try TestBench(TestSource(count: 10))
    let indexer = try bench.indexer()
    try await indexer.run()
    bench.source.state.withLock { $0.items = TestSource.items(0..<5) }
    let plan = try await IndexingPlan(
      comparing: bench.source, with: bench.store, in: .test, removingAtMost: 1)
    #expect(plan.removalError == nil)
    let progress = try await indexer.run(plan)
    #expect(progress.removalError?.code == .tooManyRemovals && progress.removed == 0)
    #expect(try bench.store.count() == 10)
  }

  @Test func aCancelledRunRemovesNothing() async throws {
    var bench = try TestBench(TestSource(count: 10))
    bench.options.largestRemovalShare = 1
    let indexer = try bench.indexer()
    try await indexer.run()
    bench.source.state.withLock { $0.items = TestSource.items(0..<5) }
    let plan = try await indexer.plan()
    for plan in [plan, nil] {
      let run = Task {
        while !Task.isCancelled { await Task.yield() }
        return try await indexer.run(plan)
      }
      run.cancel()
      let progress = try await run.value
      #expect(progress.end == .cancelled && progress.removed == 0)
    }
    #expect(try bench.store.count() == 10)
  }

  @Test func withoutRemovingARunOnlyAdds() async throws {
    var bench = try TestBench(TestSource(count: 10))
    bench.options.removesGoneItems = false
    try await bench.indexer().run()
    try bench.store.put(Record(key: "by hand", vector: [1, 0, 0, 0, 0, 0, 0, 0]))
    bench.source.state.withLock { $0.items = TestSource.items(5..<12) }
    let progress = try await bench.indexer().run()
    #expect(progress.end == .finished && progress.removed == 0 && progress.removalError == nil)
    #expect(try bench.store.count() == 13)
  }

  /// What others change of a record while it is encoded again is not lost.
  @Test func detailsThatChangeWhileTheirItemIsEncodedAreKept() async throws {
    let bench = try TestBench(TestSource(count: 300))
    let indexer = try bench.indexer()
    try await indexer.run()
    bench.source.state.withLock { $0.items = TestSource.items(0..<300, revision: "2") }
    let run = Task { try await indexer.run() }
    for number in 0..<300 {
      try bench.store.update([RecordUpdate(key: "item \(number)", labels: .set(["\(number)"]))])
      if number % 10 == 0 { await Task.yield() }
    }
    #expect(try await run.value.completed == 300)
    for number in 0..<300 {
      #expect(try bench.store.record(for: "item \(number)")?.labels == ["\(number)"])
    }
  }

  @Test func optionsOutOfTheirRangesAreRefused() throws {
    let changes: [(inout IndexingOptions) -> Void] = [
      { $0.batchSize = 0 }, { $0.batchSize = -1 }, { $0.concurrentLoadCount = 0 },
      { $0.loadTimeLimit = .zero }, { $0.encodeTimeLimit = .seconds(-1) },
      { $0.largestRemovalShare = 1.5 }, { $0.largestRemovalShare = .nan },
    ]
    for change in changes {
      var bench = try TestBench(TestSource(count: 1))
      change(&bench.options)
      let error = #expect(throws: StoreError.self) { try bench.indexer() }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func sizesOfAnyKindAreTaken() async throws {
    var bench = try TestBench(TestSource(count: 30))
    bench.options.batchSize = .max
    bench.options.concurrentLoadCount = .max
    bench.options.minimumWorkCount = .min
    #expect(try await bench.indexer().run().completed == 30)
  }

  @Test func aStoreOpenedForReadingOrClosedIsRefused() throws {
    let place = try TemporaryDirectory()
    let store = try EmbeddingStore(at: place.store(), space: .test)
    let reader = try EmbeddingStore(readingAt: place.store())
    let error = #expect(throws: StoreError.self) {
      try TestBench(TestSource(count: 1), store: reader).indexer()
    }
    #expect(error?.code == .readOnly)
    try store.close()
    let closed = #expect(throws: StoreError.self) {
      try TestBench(TestSource(count: 1), store: store).indexer()
    }
    #expect(closed?.code == .closed)
    #expect(!FileManager.default.fileExists(atPath: place.store().path + "/failures"))
  }

  @Test func theEncoderGetsNoMoreThanFourInputsAtATimeForEachItemOfABatch() async throws {
    let bench = try TestBench(TestSource(count: 10))
    bench.source.state.withLock { $0.inputCounts = ["item 2": 150, "item 5": 7] }
    try await bench.indexer().run()
    #expect(bench.encoder.calls.withLock { $0.batchSizes } == [80, 80, 5])
    #expect(bench.encoder.calls.withLock { $0.keys.count } == 165)
    #expect(try bench.holds(TestSource.items(2..<3)[0], parts: 150))
  }

  @MainActor @Test func aRunLeavesTheCallersThread() async throws {
    let bench = try TestBench(TestSource(count: 30))
    let onMain = Mutex(0)
    try await bench.indexer().run { _ in
      if Thread.isMainThread { onMain.withLock { $0 += 1 } }
    }
    #expect(onMain.withLock { $0 } == 0)
  }

  @Test func aPlanOfAnotherSpaceIsRefused() async throws {
    let bench = try TestBench(TestSource(count: 3))
    let foreign = try await IndexingPlan(comparing: bench.source, with: bench.store, in: .next)
    let error = await #expect(throws: StoreError.self) {
      try await bench.indexer().run(foreign)
    }
    #expect(error?.code == .foreignPlan)
  }

  @Test(arguments: [1, 3, 8])
  func atMostSoManyItemsAreLoadedAtATime(count: Int) async throws {
    var bench = try TestBench(TestSource(count: 60))
    bench.options.concurrentLoadCount = count
    try await bench.indexer().run()
    let most = bench.source.state.withLock { $0.mostLoadsUnderWay }
    #expect(most <= count && (count == 1 || most > 1))
    #expect(bench.encoder.calls.withLock { $0.mostUnderWay } == 1)
  }

  @Test func aFullDiskEndsTheRunWithWhatWasCommitted() async throws {
    let fileSystem = FaultyFileSystem(MemoryFileSystem())
    let store = try EmbeddingStore(
      fileSystem, path: "/store", space: .test, isReadOnly: false, StoreConfiguration())
    let bench = try TestBench(TestSource(count: 100), store: store)
    let indexer = try bench.indexer()
    fileSystem.setFaults(.noSpace(number: 3, isSticky: true))
    guard case .failed(let error) = try await indexer.run().end else {
      Issue.record("It did not fail.")
      return
    }
    #expect(error.code == .noSpace)
    #expect(try store.count() == 40 && indexer.failures.count() == 0)

    fileSystem.endFaults()
    #expect(try await indexer.run().end == .finished)
    for item in TestSource.items(0..<100) { #expect(try bench.holds(item)) }
    #expect(bench.encoder.calls.withLock { $0.keys.count } == 120)
  }
}
