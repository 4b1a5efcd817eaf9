import Testing

@testable import EmbeddingIndexing

@Suite struct PaceMeterTests {
  @Test func saysNothingBeforeItMeansSomething() throws {
    var pace = PaceMeter()
    #expect(pace.itemsPerSecond == nil && pace.timeRemaining(for: 10) == nil)
    pace.note(itemCount: 20, took: .seconds(1))
    pace.note(itemCount: 20, took: .seconds(1))
    #expect(pace.itemsPerSecond == nil)
    pace.note(itemCount: 20, took: .seconds(1))
    #expect(abs(try #require(pace.itemsPerSecond) - 20) < 1e-9)
    let remaining = try #require(pace.timeRemaining(for: 100))
    #expect(abs(remaining / .seconds(1) - 5) < 1e-9)
  }

  @Test func saysNothingAfterAMomentHoweverManyBatches() {
    var pace = PaceMeter()
    for _ in 0..<10 { pace.note(itemCount: 1, took: .microseconds(1)) }
    #expect(pace.itemsPerSecond == nil)
  }

  @Test func manyShortBatchesMeanSomethingAsWellAsFewLongOnes() throws {
    var pace = PaceMeter()
    for _ in 0..<20 { pace.note(itemCount: 1, took: .milliseconds(15)) }
    #expect(abs(try #require(pace.itemsPerSecond) - 1 / 0.015) < 0.01)
  }

  @Test func oneSlowBatchMovesItALittleAndALastingChangeForGood() throws {
    var pace = PaceMeter()
    for _ in 0..<50 { pace.note(itemCount: 20, took: .seconds(1)) }
    pace.note(itemCount: 20, took: .seconds(2))
    #expect(try #require(pace.itemsPerSecond) > 17)
    for _ in 0..<20 { pace.note(itemCount: 20, took: .seconds(2)) }
    #expect(try #require(pace.itemsPerSecond) < 11.5)

    // A compaction of a second among batches of ten milliseconds.
    var quick = PaceMeter()
    for _ in 0..<1_000 { quick.note(itemCount: 20, took: .milliseconds(10)) }
    quick.note(itemCount: 20, took: .seconds(1))
    #expect(try #require(quick.itemsPerSecond) > 1_500)
  }

  @Test func isNeverNegativeNorInfinite() throws {
    var pace = PaceMeter()
    for _ in 0..<5 { pace.note(itemCount: 20, took: .seconds(-3)) }
    #expect(pace.itemsPerSecond == nil)
    for _ in 0..<5 { pace.note(itemCount: 20, took: .seconds(1)) }
    #expect(try #require(pace.timeRemaining(for: -5)) == .zero)
  }
}
