import EmbeddingKernels
import Testing

/// No pair that reaches a threshold is ruled out by the product of its sketches.
@Suite struct SketchTests {
  @Test(arguments: availableLevels)
  func everyPairThatReachesAThresholdIsACandidate(level: KernelLevel) throws {
    var random = SeededGenerator()
    for (dimension, width) in [(3, 2), (40, 8), (70, 32), (70, 69)] {
      for scale in [Float(1), 0x1p-8, 300] {
        let rows = BlockRows(
          BlockRows.unit(24, dimension: dimension, &random).map { $0.map { $0 * scale } },
          kernels: level.kernels)
        let basis = try #require(SketchBasis(fitting: rows.block, width: width))
        #expect(basis.width <= width)
        expectCandidates(rows, basis, length: 1.01 * scale, level.kernels, random.replay)
      }
    }
  }

  // Then nothing is left over, and product and score differ by no more than rounding.
  @Test func rowsWithinTheSpanOfTheDirectionsAreNotRuledOut() throws {
    var random = SeededGenerator()
    let dimension = 64
    let axes = BlockRows.unit(6, dimension: dimension, &random)
    let rows = BlockRows(
      (0..<40).map { number in
        let shares = random.floats(6, exponents: -3...0)
        var row = [Float](repeating: 0, count: dimension)
        for (share, axis) in zip(shares, axes) {
          for index in row.indices { row[index] += share * axis[index] }
        }
        let length = wideDot(row, row).squareRoot()
        return row.map { $0 / Float(length) }
      })
    let basis = try #require(SketchBasis(fitting: rows.block, width: 32))
    expectCandidates(rows, basis, length: 1.01, .current, random.replay)
  }

  // Rows whose rests are parallel: the inequality is an equation.
  @Test func rowsThatTheBoundIsTightForAreNotRuledOut() throws {
    var random = SeededGenerator()
    let dimension = 48
    var directions = [Float](repeating: 0, count: 4 * dimension)
    for number in 0..<4 { directions[number * dimension + number] = 1 }
    let basis = try #require(SketchBasis(directions: directions, dimension: dimension))
    let rows = BlockRows(
      (0..<40).map { _ in
        var row = random.floats(4, exponents: -3...0)
        row += [Float](repeating: Float.random(in: 0...0.2, using: &random), count: dimension - 4)
        let length = wideDot(row, row).squareRoot()
        return row.map { $0 / Float(length) }
      })
    expectCandidates(rows, basis, length: 1.01, .current, random.replay)
  }

  @Test func directionsThatAreNotOrthonormalGiveNoBasis() {
    #expect(SketchBasis(directions: [1, 0, 0, 1], dimension: 2) != nil)
    #expect(SketchBasis(directions: [1, 0, 0.1, 1], dimension: 2) == nil)
    #expect(SketchBasis(directions: [1.1, 0], dimension: 2) == nil)
    #expect(SketchBasis(directions: [.nan, 0], dimension: 2) == nil)
  }

  @Test func farRowsAreRuledOutWhereAFewDirectionsSeeMost() throws {
    var random = SeededGenerator()
    // Two thirds of the energy in 6 of 64 components.
    let rows = BlockRows(
      (0..<100).map { _ in
        let row = random.floats(64, exponents: -2...0).enumerated()
          .map { $0.offset < 6 ? $0.element : 0.2 * $0.element }
        let length = wideDot(row, row).squareRoot()
        return row.map { $0 / Float(length) }
      })
    let basis = try #require(SketchBasis(fitting: rows.block, width: 16))
    let found = candidates(rows, basis, 0.95, length: 1.01, .current)
    #expect(found.count < 100 * 99 / 2 / 20, "\(random.replay)")
  }

  /// With the very scores of pairs as thresholds.
  private func expectCandidates(
    _ rows: BlockRows, _ basis: SketchBasis, length: Float, _ kernels: Kernels, _ replay: String
  ) {
    var scores: [[Int]: Float] = [:]
    for first in 0..<rows.count {
      for second in first + 1..<rows.count {
        scores[[first, second]] = rows.score(first, second)
      }
    }
    let sorted = scores.values.sorted()
    for index in stride(from: 0, to: sorted.count, by: max(1, sorted.count / 30)) {
      let found = candidates(rows, basis, sorted[index], length: length, kernels)
      let missing = scores.filter { $0.value >= sorted[index] && !found.contains($0.key) }
      #expect(missing.isEmpty, "\(replay)")
    }
  }

  private func candidates(
    _ rows: BlockRows, _ basis: SketchBasis, _ threshold: Float, length: Float,
    _ kernels: Kernels
  ) -> Set<[Int]> {
    let sketches = RowSketches(basis, count: rows.count, rowLength: length, kernels: kernels)
    sketches.write(rows.block, at: 0)
    let pairs = SketchPairs(rowCapacity: rows.count, kernels: kernels)
    var found: Set<[Int]> = []
    // One range with itself, and two halves with each other: each pair once.
    let middle = rows.count / 2
    for (left, right) in [
      (0..<middle, 0..<middle), (0..<middle, middle..<rows.count),
      (middle..<rows.count, middle..<rows.count),
    ] {
      pairs.forEach(left, right, of: sketches, atLeast: threshold) { first, second in
        #expect(first < second)
        #expect(found.insert([first, second]).inserted)
      }
    }
    return found
  }
}
