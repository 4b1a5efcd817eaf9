import EmbeddingIndexing
import EmbeddingStores
import Foundation
import Synchronization
import Testing

/// How runs end, and how they wait. The encoder takes 50 ms for a batch; nothing is asserted of times
/// but that a batch more was not begun.
@Suite struct EndingRunTests {
  private func slowBench(_ count: Int = 400) throws -> TestBench {
    var bench = try TestBench(TestSource(count: count))
    bench.encoder = TestEncoder(delay: .milliseconds(50))
    return bench
  }

  @Test func aCancelledRunEndsWithinOneBatch() async throws {
    let bench = try slowBench()
    let indexer = try bench.indexer()
    let batchesAtCancel = Mutex<Int?>(nil)
    let task = Mutex<Task<IndexingProgress, any Error>?>(nil)
    let run = Task {
      try await indexer.run { progress in
        guard progress.completed == 40 else { return }
        batchesAtCancel.withLock { batches in
          if batches == nil { batches = bench.encoder.calls.withLock { $0.batchSizes.count } }
        }
        task.withLock { $0?.cancel() }
      }
    }
    task.withLock { $0 = run }
    let progress = try await run.value
    #expect(progress.end == .cancelled && progress.completed == 40)
    #expect(try bench.store.count() == 40 && indexer.failures.count() == 0)
    #expect(batchesAtCancel.withLock { $0 } == bench.encoder.calls.withLock { $0.batchSizes.count })

    // The rest is done by the next run.
    #expect(try await indexer.run().completed == 360)
  }

  @Test func aCancelledBatchIsNotBlamedOnItsItems() async throws {
    var bench = try slowBench(40)
    bench.encoder = TestEncoder(delay: .seconds(3_600))
    let indexer = try bench.indexer()
    let run = Task { try await indexer.run() }
    while bench.encoder.calls.withLock({ $0.batchSizes.isEmpty }) { await Task.yield() }
    run.cancel()
    let progress = try await run.value
    #expect(progress.end == .cancelled && progress.processed == 0)
    #expect(try indexer.failures.count() == 0)
  }

  @Test func leavingTheLoopOverItsProgressCancelsTheRun() async throws {
    let bench = try slowBench()
    let indexer = try bench.indexer()
    for await progress in indexer.progress() where progress.completed >= 20 { break }
    // It may be within a batch, and is free again after that.
    var next: IndexingProgress?
    while next == nil { next = try? await indexer.run(minimal(indexer)) }
    #expect(try bench.store.count() < 400)
  }

  private func minimal(
    _ indexer: Indexer<TestSource, TestEncoder>
  ) async throws -> IndexingPlan {
    try await IndexingPlan(
      comparing: TestSource([]), with: EmbeddingStore(inMemory: .test), in: .test)
  }

  @Test func onlyOneRunGoesOnAtATime() async throws {
    let bench = try slowBench(60)
    let indexer = try bench.indexer()
    let run = Task { try await indexer.run() }
    while bench.encoder.calls.withLock({ $0.batchSizes.isEmpty }) { await Task.yield() }
    let error = await #expect(throws: StoreError.self) { try await indexer.run() }
    #expect(error?.code == .indexingInProgress)
    #expect(try await run.value.end == .finished)
  }

  @Test func aPausedRunBeginsNoBatchUntilItIsResumed() async throws {
    let bench = try slowBench(100)
    let indexer = try bench.indexer()
    let run = Task {
      try await indexer.run { progress in
        if progress.completed == 40 { indexer.pause() }
      }
    }
    while try bench.store.count() < 40 { await Task.yield() }
    try await Task.sleep(for: .milliseconds(200))
    #expect(indexer.isPaused)
    #expect(bench.encoder.calls.withLock { $0.batchSizes.count } == 2)
    indexer.resume()
    #expect(try await run.value.completed == 100)
  }

  @Test func aPausedRunCanBeCancelled() async throws {
    let bench = try slowBench(100)
    let indexer = try bench.indexer()
    indexer.pause()
    let run = Task { try await indexer.run() }
    try await Task.sleep(for: .milliseconds(50))
    run.cancel()
    #expect(try await run.value.end == .cancelled)
    #expect(bench.encoder.calls.withLock { $0.batchSizes.isEmpty })
  }

  @Test(arguments: [1_500, 2_500])
  func aRunEndsBeforeItsTimeBudgetDoes(milliseconds: Int) async throws {
    var bench = try slowBench(2_000)
    bench.options.timeBudget = .milliseconds(milliseconds)
    let indexer = try bench.indexer()
    let progress = try await indexer.run()
    #expect(progress.end == .timeBudgetSpent)
    #expect(progress.completed > 0 && progress.completed < 2_000)
    #expect(try bench.store.count() == progress.completed && indexer.failures.count() == 0)
    // At most one batch was given up.
    #expect(
      bench.encoder.calls.withLock { $0.keys.count } <= progress.completed + 20)
  }

  @Test func aBatchThatOutlastsTheBudgetIsGivenUpAndNotBlamed() async throws {
    var bench = try slowBench(40)
    bench.encoder = TestEncoder(delay: .seconds(3_600))
    bench.options.timeBudget = .milliseconds(200)
    let indexer = try bench.indexer()
    let progress = try await indexer.run()
    #expect(progress.end == .timeBudgetSpent && progress.processed == 0)
    #expect(try indexer.failures.count() == 0)
  }

  @Test func aPauseDoesNotOutlastTheBudget() async throws {
    var bench = try slowBench(40)
    bench.options.timeBudget = .milliseconds(100)
    let indexer = try bench.indexer()
    indexer.pause()
    #expect(try await indexer.run().end == .timeBudgetSpent)
  }

  @Test func theThrottleIsAskedBeforeEveryBatchAndObeyed() async throws {
    var bench = try slowBench(100)
    let throttle = ScriptedThrottle([
      .proceed(), .hold(.milliseconds(1)), .hold(.zero), .proceed(after: .milliseconds(1)), .stop,
    ])
    bench.throttle = throttle
    let progress = try await bench.indexer().run()
    #expect(progress.end == .throttled && progress.completed == 40)
    #expect(throttle.asked.withLock { $0 } == [0, 20, 20, 20, 40])
  }

  @Test func progressNeverFallsAndSaysAtLastWhyItEnded() async throws {
    let bench = try slowBench(200)
    bench.source.state.withLock {
      $0.behaviours = ["item 3": .unavailable, "item 50": .throwing]
    }
    var last = 0
    var final: IndexingProgress?
    var hasEstimate = false
    for await progress in try bench.indexer().progress() {
      #expect(progress.processed >= last && progress.total == 200)
      if let remaining = progress.estimatedTimeRemaining {
        hasEstimate = true
        #expect(remaining >= .zero && progress.itemsPerSecond != nil)
      }
      last = progress.processed
      final = progress
    }
    #expect(hasEstimate)
    #expect(final?.end == .finished && final?.completed == 198)
    #expect(final?.deferred == 1 && final?.failed == 1)
    #expect(final?.estimatedTimeRemaining == nil)
  }
}

private final class ScriptedThrottle: IndexingThrottle {
  private let script: Mutex<[ThrottleDecision]>
  let asked = Mutex<[Int]>([])

  init(_ script: [ThrottleDecision]) {
    self.script = Mutex(script)
  }

  func decision(processed: Int) async -> ThrottleDecision {
    asked.withLock { $0.append(processed) }
    return script.withLock { $0.isEmpty ? .stop : $0.removeFirst() }
  }
}
