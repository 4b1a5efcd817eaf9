import EmbeddingKernels
import EmbeddingTestSupport
import Testing

@testable import EmbeddingStores

@Suite struct SharedThresholdTests {
  /// A higher one would exclude a row of the result.
  @Test func noThreadsShareRaisesItAboveTheWorstScoreOfAllTogether() {
    var random = SeededGenerator("noThreadsShareRaisesItAboveTheWorstScoreOfAllTogether", seed: 9)
    for threadCount in 1...4 {
      for capacity in 1...12 {
        let threshold = SharedThreshold(threadCount: threadCount, capacity: capacity)
        var threads = (0..<threadCount).map { _ in
          (threshold.join(), TopCandidates(capacity: capacity, grouped: false, precedes: <))
        }
        var scores: [Float] = []
        for row in 0..<UInt32(80) {
          let score = Float(Int.random(in: 0..<50, using: &random))
          let index = Int.random(in: 0..<threadCount, using: &random)
          threads[index].1.insert(Candidate(score: score, row: row, group: row))
          scores.append(score)
          threshold.raise(by: threads[index].1, of: threads[index].0)
          let worst = scores.count < capacity ? -.infinity : scores.sorted(by: >)[capacity - 1]
          #expect(threshold.value <= worst, "\(threadCount), \(capacity)")
        }
        let share = (capacity + threadCount - 1) / threadCount
        let reached = threads.map { $0.1.sorted().map(\.score)[share - 1] }.min()
        #expect(threadCount == 1 || threshold.value == reached, "\(threadCount), \(capacity)")
      }
    }
  }

  @Test func aThreadThatHasNotBegunKeepsItLow() {
    let threshold = SharedThreshold(threadCount: 2, capacity: 2)
    var candidates = TopCandidates(capacity: 2, grouped: false, precedes: <)
    candidates.insert(Candidate(score: 1, row: 1, group: 1))
    threshold.raise(by: candidates, of: threshold.join())
    #expect(threshold.value == -.infinity)
  }
}
