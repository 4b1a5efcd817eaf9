import Testing

@testable import EmbeddingIndexing

@Suite struct PaceMeterTests {
  @Test func saysNothingBeforeItMeansSomething() {
    var pace = PaceMeter()
    #expect(pace.itemsPerSecond == nil && pace.timeRemaining(for: 10) == nil)
    pace.note(itemCount: 20, took: .seconds(1))
    pace.note(itemCount: 20, took: .seconds(1))
    #expect(pace.itemsPerSecond == nil)
    pace.note(itemCount: 20, took: .seconds(1))
    #expect(pace.itemsPerSecond == 20)
    #expect(pace.timeRemaining(for: 100) == .seconds(5))
  }

  @Test func saysNothingAfterAMomentHoweverManyBatches() {
    var pace = PaceMeter()
    for _ in 0..<10 { pace.note(itemCount: 1, took: .microseconds(1)) }
    #expect(pace.itemsPerSecond == nil)
  }

  /// Batches of a millisecond never gave a rate: what counted was the fading sum of their seconds,
  /// which stays below ten of them.
  @Test func quickBatchesHaveARateOnceTheyWereSeenLongEnough() throws {
    var pace = PaceMeter()
    for _ in 0..<300 { pace.note(itemCount: 20, took: .milliseconds(1)) }
    #expect(abs(try #require(pace.itemsPerSecond) - 20_000) < 1)
    #expect(pace.timeRemaining(for: 40_000).map { abs($0 / .seconds(1) - 2) < 0.01 } == true)
  }

  @Test func oneSlowBatchMovesItALittleAndALastingChangeForGood() throws {
    var pace = PaceMeter()
    for _ in 0..<50 { pace.note(itemCount: 20, took: .seconds(1)) }
    pace.note(itemCount: 20, took: .seconds(2))
    #expect(try #require(pace.itemsPerSecond) > 18)
    for _ in 0..<20 { pace.note(itemCount: 20, took: .seconds(2)) }
    #expect(try #require(pace.itemsPerSecond) < 11.5)
  }

  @Test func isNeverNegativeNorInfinite() throws {
    var pace = PaceMeter()
    for _ in 0..<5 { pace.note(itemCount: 20, took: .seconds(-3)) }
    #expect(pace.itemsPerSecond == nil)
    for _ in 0..<5 { pace.note(itemCount: 20, took: .seconds(1)) }
    #expect(try #require(pace.timeRemaining(for: -5)) == .zero)
  }
}
