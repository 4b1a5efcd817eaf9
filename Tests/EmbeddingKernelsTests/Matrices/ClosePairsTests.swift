import EmbeddingKernels
import Testing

@Suite struct ClosePairsTests {
  private struct Pair: Hashable {
    var left: Int
    var right: Int
    var score: Float
  }

  @Test(arguments: availableLevels)
  func pairsAreThoseWhoseKReachesTheThreshold(level: KernelLevel) {
    var random = SeededGenerator()
    for dimension in [2, 33, 96] {
      let left = BlockRows(
        BlockRows.unit(30, dimension: dimension, &random), kernels: level.kernels)
      let right = BlockRows(
        left.floats.prefix(5) + BlockRows.unit(20, dimension: dimension, &random),
        kernels: level.kernels)
      let pairs = ClosePairs(rowCapacity: 30, kernels: level.kernels)
      // Among them the very scores of some pairs.
      for threshold in [-2, 0, left.score(0, 2), left.score(3, 5), left.score(1, 4), 2] {
        var found: [Pair] = []
        pairs.forEach(left.block, right.block, atLeast: threshold, rowLength: 1.01) {
          found.append(Pair(left: $0, right: $1, score: $2))
        }
        var expected: [Pair] = []
        for (row, halves) in left.halves.enumerated() {
          for (other, otherHalves) in right.halves.enumerated() {
            let score = oracleScore(row: otherHalves, query: halves.map(oracleFloat))
            if score >= threshold { expected.append(Pair(left: row, right: other, score: score)) }
          }
        }
        #expect(found == expected, "\(random.replay)")

        found = []
        pairs.forEach(left.block, left.block, atLeast: threshold, rowLength: 1.01) {
          found.append(Pair(left: $0, right: $1, score: $2))
        }
        expected = []
        for row in 0..<left.count {
          for other in row + 1..<left.count where left.score(row, other) >= threshold {
            expected.append(Pair(left: row, right: other, score: left.score(row, other)))
          }
        }
        #expect(found == expected, "\(random.replay)")
      }
    }
  }
}
