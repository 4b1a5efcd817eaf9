import CEmbeddingKernels
import EmbeddingKernels
import Testing

@Suite struct HalfConversionTests {
  @Test(arguments: availableLevels)
  func everyHalfWidensToTheFloatItStandsFor(level: KernelLevel) {
    let halves = (0...UInt16.max).map { $0 }
    let floats = widened(halves, level)
    let wrong = halves.filter { floats[Int($0)].bitPattern != oracleFloat($0).bitPattern }
    #expect(wrong.isEmpty, "first wrong: \(wrong.prefix(3))")
    #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
      let others = halves.filter {
        let float = Float(Float16(bitPattern: $0))
        return !float.isNaN && floats[Int($0)].bitPattern != float.bitPattern
      }
      #expect(others.isEmpty, "unlike Swift's Float16: \(others.prefix(3))")
    #endif
  }

  @Test(arguments: availableLevels)
  func everyHalfSurvivesTheWayThereAndBack(level: KernelLevel) {
    let halves = (0...UInt16.max).map { $0 }
    let back = narrowed(widened(halves, level), level)
    let wrong = halves.filter { half in
      let isNaN = half & 0x7FFF > 0x7C00
      return back[Int(half)] != (isNaN ? half | 0x200 : half)
    }
    #expect(wrong.isEmpty, "first wrong: \(wrong.prefix(3))")
  }

  @Test(arguments: availableLevels)
  func halfwayPointsRoundToEvenAndTheirNeighboursToTheNearest(level: KernelLevel) {
    var floats: [Float] = []
    var expected: [UInt16] = []
    for low in 0..<UInt16(0x7C00) {
      let value = halfValues[Int(low)]
      let middle = Float((value + halfValues[Int(low) + 1]) / 2)  // Exact: twelve bits.
      let even = low % 2 == 0 ? low : low + 1
      let cases: [(Float, UInt16)] = [
        (Float(value), low), (Float(value).nextUp, low), (middle.nextDown, low), (middle, even),
        (middle.nextUp, low + 1),
      ]
      for (float, half) in cases {
        floats += [float, -float]
        expected += [half, half | 0x8000]
      }
    }
    let found = narrowed(floats, level)
    let wrong = floats.indices.filter { found[$0] != expected[$0] }.map { floats[$0] }
    #expect(wrong.isEmpty, "first wrong: \(wrong.prefix(3))")
  }

  @Test(arguments: availableLevels)
  func anyBitPatternRoundsAsTheOracleSays(level: KernelLevel) {
    var random = SeededGenerator()
    var floats = (0..<100_000).map { _ in
      Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &random))
    }
    floats += random.floats(100_000, exponents: -27...17)
    floats += [.nan, -.nan, .signalingNaN, .infinity, -.infinity, 0, -0.0]
    floats += [.leastNonzeroMagnitude, .greatestFiniteMagnitude, 65504, 65519.996, 65520]
    floats += [Float(bitPattern: 0x7F80_0001), Float(bitPattern: 0xFFFF_FFFF)]
    let found = narrowed(floats, level)
    let wrong = floats.indices.filter { found[$0] != oracleHalf(floats[$0]) }
    #expect(wrong.isEmpty, "\(wrong.prefix(3).map { floats[$0] }), \(random.replay)")
  }

  @Test(arguments: availableLevels)
  func conversionsOfAnyCountWriteThatManyAndNoMore(level: KernelLevel) {
    var random = SeededGenerator()
    let routines = level.routines
    for count in 0...100 {
      let floats = random.floats(count, exponents: -15...15)
      var halves = [UInt16](repeating: 0xABCD, count: count + 40)
      routines.convert_f32_f16(floats, count, &halves)
      #expect(halves.prefix(count).elementsEqual(floats.map(oracleHalf)), "\(random.replay)")
      #expect(halves.dropFirst(count).allSatisfy { $0 == 0xABCD })

      var back = [Float](repeating: 7, count: count + 40)
      routines.convert_f16_f32(halves, count, &back)
      #expect(back.prefix(count).elementsEqual(halves.prefix(count).map(oracleFloat)))
      #expect(back.dropFirst(count).allSatisfy { $0 == 7 })
    }
  }

  @Test(arguments: availableLevels)
  func wideningABlockHonoursBothStrides(level: KernelLevel) {
    var random = SeededGenerator()
    for dimension in [1, 7, 8, 15, 16, 17, 33, 64, 100] {
      let (rowCount, stride, destinationStride) = (5, dimension + 3, dimension + 2)
      let halves = (0..<rowCount * stride).map { _ in random.half() }
      var floats = [Float](repeating: 7, count: rowCount * destinationStride)
      level.routines.widen_rows_f16(
        halves, stride * 2, rowCount, dimension, &floats, destinationStride)
      for row in 0..<rowCount {
        let found = floats[row * destinationStride..<(row + 1) * destinationStride]
        let source = halves[row * stride..<row * stride + dimension]
        #expect(found.elementsEqual(source.map(oracleFloat) + [7, 7]), "\(random.replay)")
      }
    }
  }

  private func widened(_ halves: [UInt16], _ level: KernelLevel) -> [Float] {
    var floats = [Float](repeating: 0, count: halves.count)
    level.routines.convert_f16_f32(halves, halves.count, &floats)
    return floats
  }

  private func narrowed(_ floats: [Float], _ level: KernelLevel) -> [UInt16] {
    var halves = [UInt16](repeating: 0, count: floats.count)
    level.routines.convert_f32_f16(floats, floats.count, &halves)
    return halves
  }
}
