import CEmbeddingKernels
import EmbeddingKernels
import Testing

@Suite struct NormalizationKernelTests {
  @Test(arguments: availableLevels)
  func theSumOfSquaresHasTheBitsOfItsDefinition(level: KernelLevel) {
    var random = SeededGenerator()
    for count in Array(0...200) + [255, 256, 384, 1023, 4095, 4096] {
      for exponents in [-3...3, -149...127] {
        let values = random.floats(count, exponents: exponents)
        let found = level.routines.sum_of_squares_f32(values, count)
        #expect(found == oracleSumOfSquares(values), "\(count) components, \(random.replay)")
      }
    }
  }

  @Test(arguments: availableLevels)
  func theSumOfSquaresIsFiniteExactlyWhenEveryComponentIs(level: KernelLevel) {
    for count in [1, 8, 31, 32, 33, 384, 4096] {
      var values = [Float](repeating: .greatestFiniteMagnitude, count: count)
      #expect(level.routines.sum_of_squares_f32(values, count).isFinite)
      for position in Set([0, count / 2, count - 1]) {
        for defect in [Float.infinity, -.infinity, .nan, .signalingNaN] {
          values[position] = defect
          #expect(!level.routines.sum_of_squares_f32(values, count).isFinite)
          values[position] = -1
        }
      }
    }
  }

  @Test(arguments: availableLevels)
  func theSumOfSquaresIsNeverBelowTheLargestSquare(level: KernelLevel) {
    var random = SeededGenerator()
    for count in 1...100 {
      let values = random.floats(count, exponents: 0...40)
      let largest = values.map { Double($0) * Double($0) }.max() ?? 0
      #expect(level.routines.sum_of_squares_f32(values, count) >= largest, "\(random.replay)")
    }
  }

  @Test(arguments: availableLevels)
  func scalingRoundsToDoubleFloatAndHalfInTurn(level: KernelLevel) {
    var random = SeededGenerator()
    let counts = Array(0...70) + [384, 1023]
    let scales = [1, 0.1, 1 / 3.0, 1e-38, 1e38, 1e-45, Double.pi * 1000]
    for (count, scale) in counts.flatMap({ count in scales.map { (count, $0) } }) {
      var values = random.floats(count, exponents: -15...15)
      // Products around the smallest halves and the largest.
      for index in values.indices where index % 3 == 0 {
        values[index] = Float(Double(random.float(exponents: -26...16)) / scale)
        if !values[index].isFinite { values[index] = 0 }
      }
      let expected = values.map { oracleHalf(Float(Double($0) * scale)) }
      var found = [UInt16](repeating: 0xABCD, count: count + 40)
      level.routines.scale_f32_f16(values, count, scale, &found)
      #expect(found.prefix(count).elementsEqual(expected), "\(count), \(scale), \(random.replay)")
      #expect(found.dropFirst(count).allSatisfy { $0 == 0xABCD })
    }
  }
}
