import EmbeddingKernels
import Testing

@Suite struct ScorerTests {
  @Test(arguments: availableLevels)
  func aBlockScorerScoresByKInBothForms(level: KernelLevel) throws {
    var random = SeededGenerator()
    for dimension in [1, 31, 64, 100, 384] {
      let buffer = try filledBuffer(dimension, rowCount: 70, &random)
      let query = try query(dimension, &random)
      let scorer = BlockScorer(query: query, kernels: level.kernels)
      buffer.withBytes { rows in
        let expected = oracleScores(rows, stride: buffer.stride, query: query)
        scorer.score(rows, stride: buffer.stride, count: 70)
        #expect(scorer.count == 70)
        #expect((0..<70).map { scorer[$0] } == expected, "\(random.replay)")
        let indexes: [UInt32] = [69, 0, 3, 3, 12]
        scorer.score(rows, stride: buffer.stride, at: indexes.span)
        #expect((0..<scorer.count).map { scorer[$0] } == indexes.map { expected[Int($0)] })
      }
    }
  }

  @Test func theLastRowNeedsNoPadding() throws {
    var random = SeededGenerator()
    let buffer = try filledBuffer(33, rowCount: 3, &random)
    let query = try query(33, &random)
    let scorer = BlockScorer(query: query)
    buffer.withBytes { rows in
      let expected = oracleScores(rows, stride: buffer.stride, query: query)
      let short = rows.extracting(0..<2 * buffer.stride + 66)
      scorer.score(short, stride: buffer.stride, count: 3)
      #expect((0..<3).map { scorer[$0] } == expected, "\(random.replay)")
      scorer.score(short, stride: buffer.stride, at: ([2] as [UInt32]).span)
      #expect(scorer[0] == expected[2])
    }
  }

  @Test(arguments: availableLevels)
  func candidatesComeInOrderAndARaisedThresholdCutsTheRest(level: KernelLevel) throws {
    var random = SeededGenerator()
    let buffer = try filledBuffer(8, rowCount: 500, &random)
    let scorer = BlockScorer(query: try query(8, &random), kernels: level.kernels)
    buffer.withBytes { scorer.score($0, stride: buffer.stride, count: 500) }
    let scores = (0..<500).map { scorer[$0] }

    var found: [Int] = []
    let tie = scores[250]
    scorer.forEachCandidate(atLeast: tie) { position, score in
      #expect(score == scores[position])
      found.append(position)
      return tie
    }
    #expect(found == scores.indices.filter { scores[$0] >= tie }, "\(random.replay)")

    var records: [Int] = []  // Raising to each score leaves the running maxima.
    scorer.forEachCandidate(atLeast: -.infinity) { position, score in
      records.append(position)
      return score.nextUp
    }
    let expected = scores.indices.filter { i in scores[..<i].allSatisfy { $0 < scores[i] } }
    #expect(records == expected, "\(random.replay)")
  }

  @Test func whatTheBodyThrowsComesThrough() throws {
    struct Stop: Error {}
    var random = SeededGenerator()
    let buffer = try filledBuffer(4, rowCount: 5, &random)
    let scorer = BlockScorer(query: try query(4, &random))
    buffer.withBytes { scorer.score($0, stride: buffer.stride, count: 5) }
    var calls = 0
    #expect(throws: Stop.self) {
      try scorer.forEachCandidate(atLeast: -.infinity) { (_, _) throws(Stop) in
        calls += 1
        throw Stop()
      }
    }
    #expect(calls == 1)
  }

  @Test(arguments: availableLevels)
  func aMatrixScorerIsWithinItsBoundOfKAndOfTheExactScore(level: KernelLevel) throws {
    var random = SeededGenerator()
    for (dimension, queryCount) in [(1, 1), (31, 3), (64, 20), (100, 5), (384, 33), (1024, 2)] {
      let rowCount = 60
      let buffer = try filledBuffer(dimension, rowCount: rowCount, &random)
      let queries = try (0..<queryCount).map { _ in try query(dimension, &random) }
      let matrix = MatrixScorer(queries: queries, kernels: level.kernels)
      let scorers = queries.map { BlockScorer(query: $0, kernels: level.kernels) }
      buffer.withBytes { rows in
        matrix.score(rows, stride: buffer.stride, count: rowCount)
        for (index, query) in queries.enumerated() {
          scorers[index].score(rows, stride: buffer.stride, count: rowCount)
          var positions: [Int] = []
          matrix.forEachCandidate(query: index, atLeast: -.infinity) { position, score in
            positions.append(position)
            let row = widened(
              row: rows.extracting(position * buffer.stride..<(position + 1) * buffer.stride),
              dimension: dimension)
            let rowLength = Float(oracleSumOfSquares(row).squareRoot()).nextUp
            let bound = Double(matrix.errorBound(query: index, rowLength: rowLength))
            let exact = zip(row, query.vector).reduce(0) { $0 + Double($1.0) * Double($1.1) }
            #expect(abs(Double(score) - exact) <= bound, "\(random.replay)")
            #expect(abs(score - scorers[index][position]) <= Float(bound), "\(random.replay)")
            // Twice γ_d times the lengths, and hardly more.
            let lengths = Double(query.length) * Double(rowLength)
            #expect(bound >= 2 * gamma(dimension) * lengths)
            #expect(bound <= 2 * gamma(dimension) * lengths * 1.000001 + 1e-40)
            return -.infinity
          }
          #expect(positions == Array(0..<rowCount))
        }
      }
    }
  }

  /// The serial OpenBLAS hands two callers the same buffer now and then: a few calls in ten
  /// thousand were wrong by more than any rounding.
  @Test func matrixScorersOnSeveralThreadsDoNotDisturbEachOther() async throws {
    var random = SeededGenerator()
    let buffer = try filledBuffer(384, rowCount: 200, &random)
    let queries = try (0..<20).map { _ in try query(384, &random) }
    let rows = buffer.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    let stride = buffer.stride
    @Sendable func scores(_ matrix: MatrixScorer) -> [Float] {
      rows.withUnsafeBytes { bytes in
        matrix.score(RawSpan(_unsafeBytes: bytes), stride: stride, count: 200)
      }
      var scores: [Float] = []
      for query in 0..<20 {
        matrix.forEachCandidate(query: query, atLeast: -.infinity) { _, score in
          scores.append(score)
          return -.infinity
        }
      }
      return scores
    }
    let expected = scores(MatrixScorer(queries: queries))
    let wrong = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let matrix = MatrixScorer(queries: queries)
          return (0..<8).count { _ in scores(matrix) != expected }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0, "\(random.replay)")
  }

  @Test func aMatrixScorerWithoutQueriesOrRowsYieldsNothing() throws {
    var random = SeededGenerator()
    let buffer = try filledBuffer(3, rowCount: 1, &random)
    let none = MatrixScorer(queries: [])
    let one = MatrixScorer(queries: [try query(3, &random)])
    buffer.withBytes { rows in
      none.score(rows, stride: buffer.stride, count: 1)
      one.score(rows, stride: buffer.stride, count: 0)
    }
    one.forEachCandidate(query: 0, atLeast: -.infinity) { _, _ in
      Issue.record("there are no rows")
      return 0
    }
  }

  #if os(Linux) || os(macOS)
    @Test func rowsBeyondTheBytesTrap() async {
      await #expect(processExitsWith: .failure) { try scoreThreeRows(count: 4) }
      await #expect(processExitsWith: .failure) { try scoreThreeRows(index: 3) }
      await #expect(processExitsWith: .success) { try scoreThreeRows(count: 3) }
      await #expect(processExitsWith: .success) { try scoreThreeRows(index: 2) }
    }
  #endif

  private func filledBuffer(
    _ dimension: Int, rowCount: Int, _ random: inout SeededGenerator
  ) throws -> RowBuffer {
    let buffer = RowBuffer(dimension: dimension, capacity: rowCount)
    for _ in 0..<rowCount {
      try buffer.append(random.floats(dimension, exponents: -4...0).span, normalizing: true)
    }
    return buffer
  }

  private func query(
    _ dimension: Int, _ random: inout SeededGenerator
  ) throws -> PreparedQuery {
    let vector = random.floats(dimension, exponents: -4...0)
    return try PreparedQuery(vector.span, dimension: dimension, normalizing: true)
  }

  private func oracleScores(_ rows: RawSpan, stride: Int, query: PreparedQuery) -> [Float] {
    rows.withUnsafeBytes { bytes in
      Swift.stride(from: 0, to: bytes.count, by: stride).map { start in
        let row = bytes[start..<start + 2 * query.dimension]
        return oracleScore(
          row: Array(row.withMemoryRebound(to: UInt16.self) { $0 }), query: query.vector)
      }
    }
  }
}

private func scoreThreeRows(count: Int = 0, index: UInt32 = 0) throws {
  let vector: [Float] = [1, 2, 3]
  let buffer = RowBuffer(dimension: 3, capacity: 3)
  for _ in 0..<3 { try buffer.append(vector.span, normalizing: true) }
  let query = try PreparedQuery(vector.span, dimension: 3, normalizing: true)
  let scorer = BlockScorer(query: query)
  buffer.withBytes { rows in
    scorer.score(rows, stride: buffer.stride, count: count)
    scorer.score(rows, stride: buffer.stride, at: [index].span)
  }
}
