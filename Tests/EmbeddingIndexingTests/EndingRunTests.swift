import EmbeddingIndexing
import EmbeddingStores
import Synchronization
import XCTest

/// How runs end, and how they wait. The encoder takes 50 ms for a batch; nothing is asserted of times
/// but that no further batch was begun.
///
/// With XCTest, which runs one test at a time: beside hundreds of others a run would wait for its turn
/// longer than its time limits allow.
final class EndingRunTests: XCTestCase {
  private func slowBench(_ count: Int = 400) throws -> TestBench {
    var bench = try TestBench(TestSource(count: count))
    bench.encoder = TestEncoder(delay: .milliseconds(50))
    return bench
  }

  private func batchCount(_ bench: TestBench) -> Int {
    bench.encoder.calls.withLock { $0.batchSizes.count }
  }

  func testACancelledRunEndsWithinOneBatch() async throws {
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
    XCTAssertEqual(progress.end, .cancelled)
    XCTAssertEqual(progress.completed, 40)
    XCTAssertEqual(try bench.store.count(), 40)
    XCTAssertEqual(try indexer.failures.count(), 0)
    XCTAssertEqual(batchesAtCancel.withLock { $0 }, batchCount(bench))

    let rest = try await indexer.run()
    XCTAssertEqual(rest.completed, 360)
  }

  func testACancelledBatchIsNotBlamedOnItsItems() async throws {
    var bench = try slowBench(40)
    bench.encoder = TestEncoder(delay: .seconds(3_600))
    let indexer = try bench.indexer()
    let run = Task { try await indexer.run() }
    while batchCount(bench) == 0 { await Task.yield() }
    run.cancel()
    let progress = try await run.value
    XCTAssertEqual(progress.end, .cancelled)
    XCTAssertEqual(progress.processed, 0)
    XCTAssertEqual(try indexer.failures.count(), 0)
  }

  func testLeavingTheLoopOverItsProgressCancelsTheRun() async throws {
    let bench = try slowBench()
    let indexer = try bench.indexer()
    for await progress in indexer.progress() where progress.completed >= 20 { break }
    // It may be within a batch, and is free for another run after that.
    let nothing = try await IndexingPlan(comparing: TestSource([]), with: bench.store, in: .test)
    var isFree = false
    while !isFree {
      do throws(StoreError) {
        try await indexer.run(nothing)
        isFree = true
      } catch {
        guard error.code == .indexingInProgress else { throw error }
        await Task.yield()
      }
    }
    XCTAssertLessThan(try bench.store.count(), 400)
  }

  func testOnlyOneRunGoesOnAtATime() async throws {
    let bench = try slowBench(60)
    let indexer = try bench.indexer()
    let run = Task { try await indexer.run() }
    while batchCount(bench) == 0 { await Task.yield() }
    do {
      try await indexer.run()
      XCTFail("A second run began.")
    } catch {
      XCTAssertEqual(error.code, .indexingInProgress)
    }
    let progress = try await run.value
    XCTAssertEqual(progress.end, .finished)
  }

  func testAPausedRunBeginsNoBatchUntilItIsResumed() async throws {
    let bench = try slowBench(100)
    let indexer = try bench.indexer()
    let run = Task {
      try await indexer.run { progress in
        if progress.completed == 40 { indexer.pause() }
      }
    }
    while try bench.store.count() < 40 { await Task.yield() }
    try await Task.sleep(for: .milliseconds(200))
    XCTAssertTrue(indexer.isPaused)
    XCTAssertEqual(batchCount(bench), 2)
    indexer.resume()
    let progress = try await run.value
    XCTAssertEqual(progress.completed, 100)
  }

  func testAPausedRunCanBeCancelled() async throws {
    let bench = try slowBench(100)
    let indexer = try bench.indexer()
    indexer.pause()
    let run = Task { try await indexer.run() }
    try await Task.sleep(for: .milliseconds(50))
    run.cancel()
    let progress = try await run.value
    XCTAssertEqual(progress.end, .cancelled)
    XCTAssertEqual(batchCount(bench), 0)
  }

  func testARunEndsBeforeItsTimeBudgetDoes() async throws {
    for budget in [1_000, 1_500] {
      var bench = try slowBench(2_000)
      bench.options.timeBudget = .milliseconds(budget)
      let indexer = try bench.indexer()
      let progress = try await indexer.run()
      XCTAssertEqual(progress.end, .timeBudgetSpent)
      XCTAssertGreaterThan(progress.completed, 0)
      XCTAssertLessThan(progress.completed, 2_000)
      XCTAssertEqual(try bench.store.count(), progress.completed)
      XCTAssertEqual(try indexer.failures.count(), 0)
      // At most one batch was given up.
      XCTAssertLessThanOrEqual(
        bench.encoder.calls.withLock { $0.keys.count }, progress.completed + 20)
    }
  }

  func testABatchThatOutlastsTheBudgetIsGivenUpAndNotBlamed() async throws {
    var bench = try slowBench(40)
    bench.encoder = TestEncoder(delay: .seconds(3_600))
    bench.options.timeBudget = .milliseconds(500)
    let indexer = try bench.indexer()
    let progress = try await indexer.run()
    XCTAssertEqual(progress.end, .timeBudgetSpent)
    XCTAssertEqual(progress.processed, 0)
    XCTAssertEqual(try indexer.failures.count(), 0)
    // Its items were not tried one by one when there was no time.
    XCTAssertEqual(batchCount(bench), 1)
  }

  func testABudgetEndsPlanningAndLoadingToo() async throws {
    for slow in [TestSource.Slowness.pages, .contents, .encoder] {
      var bench = try slowBench(200)
      bench.source.state.withLock { $0.slowness = slow }
      bench.options.timeBudget = .milliseconds(300)
      let loader = EncoderLoader(space: .test) { [bench] in
        if slow == .encoder { try await Task.sleep(for: .seconds(3_600)) }
        return bench.encoder
      }
      let indexer = try Indexer(
        store: bench.store, source: bench.source, encoder: loader, options: bench.options,
        throttle: NoThrottle())
      let progress = try await indexer.run()
      XCTAssertEqual(progress.end, .timeBudgetSpent, "\(slow)")
      XCTAssertEqual(progress.processed, 0, "\(slow)")
      XCTAssertEqual(try indexer.failures.count(), 0, "\(slow)")
    }
  }

  func testASlowStartDoesNotCountAsASlowBatch() async throws {
    var bench = try slowBench(60)
    bench.options.timeBudget = .seconds(6)
    let loader = EncoderLoader(space: .test) { [bench] in
      try await Task.sleep(for: .seconds(3))
      return bench.encoder
    }
    let indexer = try Indexer(
      store: bench.store, source: bench.source, encoder: loader, options: bench.options,
      throttle: NoThrottle())
    let progress = try await indexer.run()
    XCTAssertEqual(progress.end, .finished)
  }

  func testDurationsOfAnyLengthAreTaken() async throws {
    for longest in [Duration.seconds(Int64.max), .seconds(Int64.min)] {
      var bench = try TestBench(TestSource(count: 30))
      if longest > .zero {
        bench.options.loadTimeLimit = longest
        bench.options.encodeTimeLimit = longest
      }
      bench.options.timeBudget = longest
      bench.throttle = ScriptedThrottle([.proceed(), .proceed(after: .seconds(Int64.min))])
      let progress = try await bench.indexer().run()
      XCTAssertEqual(progress.end, longest > .zero ? .finished : .timeBudgetSpent)
    }
  }

  func testAThrottleThatHoldsForEverCanBeCancelled() async throws {
    for hold in [Duration.zero, .seconds(Int64.max)] {
      var bench = try slowBench(40)
      bench.throttle = EndlessThrottle(hold: hold)
      let indexer = try bench.indexer()
      let run = Task { try await indexer.run() }
      try await Task.sleep(for: .milliseconds(100))
      run.cancel()
      let progress = try await run.value
      XCTAssertEqual(progress.end, .cancelled)
    }
  }

  func testAPauseDoesNotOutlastTheBudget() async throws {
    var bench = try slowBench(40)
    bench.options.timeBudget = .milliseconds(100)
    let indexer = try bench.indexer()
    indexer.pause()
    let progress = try await indexer.run()
    XCTAssertEqual(progress.end, .timeBudgetSpent)
  }

  func testTheThrottleIsAskedBeforeEveryBatchAndObeyed() async throws {
    var bench = try slowBench(100)
    let throttle = ScriptedThrottle([
      .proceed(), .hold(.milliseconds(1)), .hold(.zero), .proceed(after: .milliseconds(1)), .stop,
    ])
    bench.throttle = throttle
    let progress = try await bench.indexer().run()
    XCTAssertEqual(progress.end, .throttled)
    XCTAssertEqual(progress.completed, 40)
    XCTAssertEqual(throttle.asked.withLock { $0 }, [0, 20, 20, 20, 40])
  }

  func testProgressNeverFallsAndSaysAtLastWhyItEnded() async throws {
    let bench = try slowBench(200)
    bench.source.state.withLock {
      $0.behaviours = ["item 3": .unavailable, "item 50": .throwing]
    }
    var last = 0
    var final: IndexingProgress?
    var hasEstimate = false
    for await progress in try bench.indexer().progress() {
      XCTAssertGreaterThanOrEqual(progress.processed, last)
      XCTAssertEqual(progress.total, 200)
      if let remaining = progress.estimatedTimeRemaining {
        hasEstimate = true
        XCTAssertGreaterThanOrEqual(remaining, .zero)
        XCTAssertNotNil(progress.itemsPerSecond)
      }
      last = progress.processed
      final = progress
    }
    XCTAssertTrue(hasEstimate)
    XCTAssertEqual(final?.end, .finished)
    XCTAssertEqual(final?.completed, 198)
    XCTAssertEqual(final?.deferred, 1)
    XCTAssertEqual(final?.failed, 1)
    XCTAssertNil(final?.estimatedTimeRemaining)
  }

  /// What hangs is cancelled after its time limit, and only that counts as broken.
  func testItemsThatHangAreBrokenAndTheOthersOfTheirBatchesStored() async throws {
    var bench = try TestBench(TestSource(count: 50))
    bench.source.state.withLock {
      $0.behaviours = [
        "item 3": .hanging, "item 30": .encodedAs(.hanging), "item 31": .encodedAs(.hanging),
      ]
    }
    bench.options.loadTimeLimit = .seconds(1)
    bench.options.encodeTimeLimit = .seconds(1)
    let indexer = try bench.indexer()
    let progress = try await indexer.run()
    XCTAssertEqual(progress.end, .finished)
    XCTAssertEqual(progress.completed, 47)
    XCTAssertEqual(progress.failed, 2)
    XCTAssertEqual(progress.deferred, 1)
    let failures = try indexer.failures.failures()
    XCTAssertEqual(failures.map(\.key), ["item 3", "item 30", "item 31"])
    XCTAssertEqual(failures.map(\.kind), [.unavailable, .broken, .broken])
    XCTAssertTrue(failures.allSatisfy { $0.reason.contains("longer than") })
    for item in TestSource.items(0..<50) where !failures.map(\.key).contains(item.key) {
      XCTAssertTrue(try bench.holds(item))
    }
  }
}

private struct EndlessThrottle: IndexingThrottle {
  let hold: Duration

  func decision(processed: Int) async -> ThrottleDecision { .hold(hold) }
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
