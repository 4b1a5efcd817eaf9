import CEmbeddingKernels
import EmbeddingKernels
import Testing

/// Dimensions around every width that a level works in.
let scoredDimensions =
  Array(1...200) + [255, 256, 257, 384, 512, 768, 1023, 1024, 1280, 4095, 4096]

@Suite struct ScoreKernelTests {
  @Test(arguments: availableLevels)
  func scoresHaveTheBitsOfTheDefinitionAtEveryDimension(level: KernelLevel) {
    var random = SeededGenerator()
    let rowCount = 3
    for dimension in scoredDimensions {
      let stride = dimension + Int.random(in: 0...40, using: &random)
      let halves = (0..<rowCount * stride).map { _ in random.half() }
      for exponents in [-4...4, -149...(-120)] {  // The latter makes products underflow.
        let query = random.floats(dimension, exponents: exponents)
        var found = [Float](repeating: .nan, count: rowCount + 1)
        level.routines.dot_f16(halves, stride * 2, rowCount, query, dimension, &found)
        let expected = (0..<rowCount).map { row in
          oracleScore(row: halves[row * stride..<row * stride + dimension], query: query)
        }
        #expect(
          found.prefix(rowCount).map(\.bitPattern) == expected.map(\.bitPattern),
          "dimension \(dimension), \(random.replay)")
        #expect(found[rowCount].isNaN, "wrote one score too many")
      }
    }
  }

  @Test(arguments: availableLevels)
  func alignmentDoesNotChangeTheBits(level: KernelLevel) {
    var random = SeededGenerator()
    for dimension in [1, 3, 8, 13, 31, 63, 64, 65, 96, 100, 127, 200, 384] {
      let row = (0..<dimension).map { _ in random.half() }
      let query = random.floats(dimension, exponents: -4...4)
      let expected = oracleScore(row: row, query: query).bitPattern
      for offset in stride(from: 0, to: 64, by: 2) {
        let found = withMovedCopies(row, query, byteOffset: offset) { row, query in
          var score = Float.nan
          level.routines.dot_f16(row, 2 * dimension, 1, query, dimension, &score)
          return score
        }
        #expect(
          found.bitPattern == expected,
          "dimension \(dimension), offset \(offset), \(random.replay)")
      }
    }
  }

  @Test(arguments: availableLevels)
  func gatheringScoresTheNamedRowsInOrder(level: KernelLevel) {
    var random = SeededGenerator()
    let rowCount = 50
    for dimension in [1, 8, 63, 64, 65, 100, 384, 2048] {
      let stride = dimension + 2
      let halves = (0..<rowCount * stride).map { _ in random.half() }
      let query = random.floats(dimension, exponents: -4...4)
      var all = [Float](repeating: .nan, count: rowCount)
      level.routines.dot_f16(halves, stride * 2, rowCount, query, dimension, &all)
      for count in [0, 1, 2, 7, 40, 100] {
        let indexes = (0..<count).map { _ in UInt32.random(in: 0..<50, using: &random) }
        var found = [Float](repeating: .nan, count: count + 1)
        level.routines.dot_gather_f16(
          halves, stride * 2, indexes, count, query, dimension, &found)
        #expect(
          found.prefix(count).map(\.bitPattern) == indexes.map { all[Int($0)].bitPattern },
          "dimension \(dimension), \(random.replay)")
        #expect(found[count].isNaN, "wrote one score too many")
      }
    }
  }

  @Test(arguments: availableLevels)
  func aScoreIsWithinTheErrorBoundOfTheExactOne(level: KernelLevel) {
    var random = SeededGenerator()
    for dimension in [1, 2, 64, 65, 200, 384, 1024, 4096] {
      for _ in 0..<5 {
        let row = random.floats(dimension, exponents: -6...0).map(oracleHalf)
        let query = random.floats(dimension, exponents: -6...0)
        let products = zip(row, query).map { Double(oracleFloat($0)) * Double($1) }
        let exact = products.reduce(0, +)
        let magnitude = products.reduce(0) { $0 + abs($1) }
        var score = Float.nan
        level.routines.dot_f16(row, 2 * dimension, 1, query, dimension, &score)
        // A lane takes ⌈d/64⌉ roundings and the tree six; the sum in Double errs far less.
        let bound = gamma((dimension + 63) / 64 + 6) * magnitude
        #expect(abs(Double(score) - exact) <= bound * 1.000001, "\(random.replay)")
      }
    }
  }

  @Test(arguments: availableLevels)
  func aScoreOfZeroIsNeverNegativeAndPaddingNeverShows(level: KernelLevel) {
    // The product of these two is below the smallest float and rounds to -0.
    let tiny: [UInt16] = [0x8001] + [UInt16](repeating: 0, count: 255)
    for dimension in [1, 2, 63, 64, 65, 128, 256] {
      var query = [Float](repeating: 0, count: dimension)
      query[0] = .leastNonzeroMagnitude
      var score = Float.nan
      level.routines.dot_f16(tiny, 512, 1, query, dimension, &score)
      #expect(score.bitPattern == 0, "dimension \(dimension) gave \(score)")
    }
  }

  @Test(arguments: availableLevels)
  func rowsThatHoldNaNOrInfinityScoreAccordingly(level: KernelLevel) {
    for dimension in [1, 63, 64, 65, 100] {
      for (half, isNaN) in [(UInt16(0x7E00), true), (0x7C00, false)] {
        var row = [UInt16](repeating: 0x3C00, count: dimension)
        row[dimension - 1] = half
        let query = [Float](repeating: 1, count: dimension)
        var score = Float(0)
        level.routines.dot_f16(row, 2 * dimension, 1, query, dimension, &score)
        #expect(isNaN ? score.isNaN : score == .infinity)
      }
    }
  }

  /// Copies of both that start `byteOffset` bytes after a cache line; floats at the next multiple
  /// of four.
  private func withMovedCopies(
    _ row: [UInt16], _ query: [Float], byteOffset: Int,
    _ body: (UnsafePointer<UInt16>, UnsafePointer<Float>) -> Float
  ) -> Float {
    let rows = UnsafeMutableRawPointer.allocate(byteCount: 2 * row.count + 64, alignment: 64)
    let queries = UnsafeMutableRawPointer.allocate(byteCount: 4 * query.count + 64, alignment: 64)
    defer {
      rows.deallocate()
      queries.deallocate()
    }
    let movedRow = (rows + byteOffset).bindMemory(to: UInt16.self, capacity: row.count)
    let movedQuery = (queries + byteOffset / 4 * 4).bindMemory(
      to: Float.self, capacity: query.count)
    movedRow.initialize(from: row, count: row.count)
    movedQuery.initialize(from: query, count: query.count)
    return body(movedRow, movedQuery)
  }
}
