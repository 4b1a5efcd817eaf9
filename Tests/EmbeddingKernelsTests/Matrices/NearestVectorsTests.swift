import EmbeddingKernels
import Testing

@Suite struct NearestVectorsTests {
  @Test(arguments: availableLevels)
  func theNearestVectorIsTheFirstOfTheLargestK(level: KernelLevel) {
    var random = SeededGenerator()
    for (dimension, count) in [(1, 1), (5, 16), (64, 17), (100, 40)] {
      let rows = BlockRows(
        BlockRows.unit(60, dimension: dimension, &random), kernels: level.kernels)
      // Vectors twice over, so that every row has a tie; and some are rows.
      var vectors = BlockRows.unit(count, dimension: dimension, &random)
      vectors += vectors + rows.floats.prefix(3)
      let nearest = NearestVectors(
        VectorMatrix(vectors.flatMap { $0 }, dimension: dimension), rowCapacity: 60,
        rowLength: 1.01,
        kernels: level.kernels)
      for scoring in [false, true] {
        var position = 0
        nearest.forEachRow(of: rows.block, scoring: scoring) { row, vector, score in
          let scores = vectors.map { oracleScore(row: rows.halves[row], query: $0) }
          let best = scores.max() ?? 0
          #expect(vector == scores.firstIndex(of: best), "\(random.replay)")
          if scoring { #expect(score == best, "\(random.replay)") }
          #expect(row == position)
          position += 1
        }
        #expect(position == 60)
      }
    }
  }

  @Test func theBestTwoProductsAreThoseOfFloat64() {
    var random = SeededGenerator()
    let rows = BlockRows(BlockRows.unit(50, dimension: 70, &random))
    let vectors = BlockRows.unit(23, dimension: 70, &random)
    let nearest = NearestVectors(
      VectorMatrix(vectors.flatMap { $0 }, dimension: 70), rowCapacity: 64, rowLength: 1.01)
    var row = 0
    nearest.forEachBestTwo(of: rows.block) { best, next in
      let scores = vectors.map { wideDot(rows.floats[row], $0) }.sorted(by: >)
      #expect(abs(Double(best) - scores[0]) <= 2 * gamma(70), "\(random.replay)")
      #expect(abs(Double(next) - scores[1]) <= 2 * gamma(70), "\(random.replay)")
      row += 1
    }
    #expect(row == 50)
  }
}
