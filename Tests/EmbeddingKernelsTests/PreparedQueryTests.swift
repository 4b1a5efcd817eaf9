import EmbeddingKernels
import Testing

@Suite struct PreparedQueryTests {
  @Test(arguments: availableLevels)
  func aNormalisedQueryHasTheBitsOfTheFormula(level: KernelLevel) throws {
    var random = SeededGenerator()
    for exponents in [-3...3, 100...127, -15...(-10)] {
      let vector = random.floats(100, exponents: exponents)
      let query = try PreparedQuery(
        vector.span, dimension: 100, normalizing: true, kernels: level.kernels)
      let scale = 1 / oracleSumOfSquares(vector).squareRoot()
      #expect(query.vector == vector.map { Float(Double($0) * scale) }, "\(random.replay)")
      #expect(abs(query.length - 1) < 1e-6)
    }
  }

  @Test(arguments: availableLevels)
  func theLengthIsNeverBelowTheTrueOneAndCloseToIt(level: KernelLevel) throws {
    var random = SeededGenerator()
    for _ in 0..<300 {
      let dimension = Int.random(in: 1...200, using: &random)
      let vector = random.floats(dimension, exponents: -20...10)
      let query = try PreparedQuery(
        vector.span, dimension: dimension, normalizing: false, kernels: level.kernels)
      #expect(query.vector == vector)
      // Neumaier's compensated sum: exact to about 2⁻¹⁰⁰ here. Its root is off by 2⁻⁵³ at most.
      var (sum, rest) = (0.0, 0.0)
      for square in vector.map({ Double($0) * Double($0) }) {
        let next = sum + square
        rest += sum >= square ? (sum - next) + square : (square - next) + sum
        sum = next
      }
      let exact = (sum + rest).squareRoot()
      #expect(Double(query.length) >= exact * (1 - 0x1p-52), "\(random.replay)")
      #expect(Double(query.length) <= exact * (1 + 0x1p-22), "\(random.replay)")
    }
  }

  @Test func theLengthOfARepresentableOneIsRoundedUp() throws {
    let vector: [Float] = [3, 4]
    let query = try PreparedQuery(vector.span, dimension: 2, normalizing: false)
    #expect(query.length == 5 || query.length == Float(5).nextUp)
    let irrational: [Float] = [1, 1]  // √2 lies between two floats.
    let other = try PreparedQuery(irrational.span, dimension: 2, normalizing: false)
    #expect(Double(other.length) >= 2.0.squareRoot())
  }

  @Test func defectiveQueriesAreRefused() {
    func defect(_ vector: [Float], normalizing: Bool) -> VectorDefect? {
      do throws(VectorDefect) {
        _ = try PreparedQuery(vector.span, dimension: 3, normalizing: normalizing)
        return nil
      } catch {
        return error
      }
    }
    #expect(defect([1, 2], normalizing: true) == .wrongDimension(expected: 3, found: 2))
    #expect(defect([1, .nan, .nan], normalizing: true) == .notFinite(component: 1))
    #expect(defect([1, 2, .infinity], normalizing: false) == .notFinite(component: 2))
    #expect(defect([0, 0, 0], normalizing: true) == .zeroLength(length: 0))
    #expect(defect([0, 65520, 70000], normalizing: false) == .outOfRange(component: 1))
    #expect(defect([0, 0, 0], normalizing: false) == nil)
    #expect(defect([3e38, 3e38, 3e38], normalizing: true) == nil)
    #expect(defect([65504, -65504, 65504], normalizing: false) == nil)
  }

  @Test(arguments: availableLevels)
  func aStoredRowBecomesAQueryExactly(level: KernelLevel) {
    var random = SeededGenerator()
    for dimension in [1, 2, 31, 100] {
      let halves = (0..<dimension + 3).map { _ in random.half() }
      halves.withUnsafeBytes { bytes in
        let row = RawSpan(_unsafeBytes: bytes)
        let query = PreparedQuery(row: row, dimension: dimension, kernels: level.kernels)
        #expect(query.vector == halves.prefix(dimension).map(oracleFloat), "\(random.replay)")
        #expect(query.vector == widened(row: row, dimension: dimension, kernels: level.kernels))
        #expect(query.dimension == dimension)
      }
    }
  }
}
