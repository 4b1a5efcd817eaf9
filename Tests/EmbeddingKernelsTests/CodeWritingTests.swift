import CEmbeddingKernels
import EmbeddingKernels
import Testing

/// What is written as codes, against Float64.
@Suite struct CodeWritingTests {
  private static let scales = [1e-3, 0.017, 1, 40]

  @Test func codesAreTheNearestThatTheScaleHas() {
    var random = SeededGenerator()
    for width in stride(from: 32, through: 512, by: 96) {
      for scale in Self.scales {
        let sample = Sample(width: width, scale: scale, using: &random)
        let (codes, _) = sample.coded()
        var wrong: [String] = []
        for (index, code) in codes.enumerated() {
          let place = Double(sample.components[index]) / sample.step(index) + 127.5
          let nearest = min(max(place, 0), 255)
          // Half a code, and what Float32 makes of the place.
          if abs(Double(code) - nearest) > 0.5 + 1e-4 { wrong.append("\(place): \(code)") }
        }
        #expect(wrong.isEmpty, "scale \(scale), \(random.replay)")
      }
    }
  }

  /// Also where components lie beyond the largest code, and where a scale is too small to divide by.
  @Test func errorsAndNormsAreThoseOfWhatTheBytesStandFor() {
    var random = SeededGenerator()
    for width in stride(from: 32, through: 512, by: 96) {
      for scale in Self.scales + [0, 1e-300, 1e-31, 1e6] {
        let sample = Sample(width: width, scale: scale, using: &random)
        let (codes, errors) = sample.coded()
        var (high, full, highNorm, fullNorm) = (0.0, 0.0, 0.0, 0.0)
        for (index, code) in codes.enumerated() {
          let component = Double(sample.components[index])
          // A whole code stands for code - 127.5 and its high nibble h for 16·(h - 7.5) steps.
          let whole = Double(code) - 127.5
          let coarse = 16 * (Double(code / 16) - 7.5)
          full += square(component - sample.step(index) * whole)
          high += square(component - sample.step(index) * coarse)
          fullNorm += square(scale * whole)
          highNorm += square(scale * coarse)
        }
        for (found, expected) in [
          (errors.full, full), (errors.high, high), (errors.full_norm, fullNorm),
          (errors.high_norm, highNorm),
        ] {
          let difference = abs(found - expected)
          #expect(difference <= 1e-12 * expected, "scale \(scale), \(random.replay)")
        }
      }
    }
  }

  @Test func componentsBeyondTheLastCodeGetIt() {
    let components = (0..<32).map { Float($0 % 2 == 0 ? 1e30 : -1e30) }
    var codes = [UInt8](repeating: 7, count: 32)
    _ = ek_code_components(components, [1], 32, 1, &codes)
    #expect(codes == (0..<32).map { $0 % 2 == 0 ? 255 : 0 })
  }

  @Test(arguments: [0, 1e-300])
  func aScaleOfNextToNothingLeavesTheComponentsAsTheError(scale: Double) {
    var random = SeededGenerator()
    let components = random.floats(63, exponents: -4...4) + [0]
    var codes = [UInt8](repeating: 7, count: 64)
    let errors = ek_code_components(components, [1, 2], 64, scale, &codes)
    #expect(codes == [UInt8](repeating: 128, count: 64))
    let sum = components.reduce(0) { $0 + square(Double($1)) }
    #expect(abs(errors.full - sum) <= 1e-12 * sum, "\(random.replay)")
    #expect(abs(errors.high - sum) <= 1e-12 * sum, "\(random.replay)")
    #expect(errors.full_norm == 0 && errors.high_norm == 0)
  }

  /// The scale that a segment needs for no component to lie beyond the last code.
  @Test func theLargestComponentIsThatOfAllUnits() {
    var random = SeededGenerator()
    for width in stride(from: 32, through: 512, by: 32) {
      let sample = Sample(width: width, scale: 1, using: &random)
      let found = ek_largest_component(sample.components, sample.units, width)
      let expected = sample.components.indices.map {
        sample.components[$0].magnitude / sample.units[$0 / 32]
      }.max()
      #expect(found == expected, "\(random.replay)")
    }
    #expect(ek_largest_component([Float](repeating: 0, count: 32), [1], 32) == 0)
  }

  @Test(arguments: [false, true])
  func packedNibblesAreThoseOfTheCodes(high: Bool) {
    var random = SeededGenerator()
    for width in stride(from: 32, through: 512, by: 32) {
      let codes = (0..<width).map { _ in UInt8.random(in: 0...255, using: &random) }
      let input = FencedMemory.holding(codes)
      let output = FencedMemory.holding([UInt8](repeating: 0, count: width / 2))
      ek_pack_nibbles(input.elements, width, high ? 1 : 0, output.elements)
      let nibbles = codes.map { high ? $0 / 16 : $0 % 16 }
      let expected = (0..<width / 2).map { nibbles[$0] + 16 * nibbles[width / 2 + $0] }
      #expect((0..<width / 2).map { output.elements[$0] } == expected, "\(random.replay)")
    }
  }

  /// Both nibbles of every code together are the code.
  @Test func highAndLowNibblesMakeUpTheCodes() {
    let codes = (0...255).map { UInt8($0) }
    var (high, low) = ([UInt8](repeating: 0, count: 128), [UInt8](repeating: 0, count: 128))
    ek_pack_nibbles(codes, 256, 1, &high)
    ek_pack_nibbles(codes, 256, 0, &low)
    let whole = (0..<256).map { index in
      let (high, low) = (high[index % 128], low[index % 128])
      return index < 128 ? high % 16 * 16 + low % 16 : high / 16 * 16 + low / 16
    }
    #expect(whole == codes)
  }
}

private func square(_ value: Double) -> Double { value * value }

/// Random components, some of them beyond the largest code.
private struct Sample {
  let components: [Float]
  let units: [Float]
  let scale: Double

  init(width: Int, scale: Double, using random: inout SeededGenerator) {
    let units = (0..<width / 32).map { _ in random.float(exponents: -6...3).magnitude }
    self.units = units
    self.scale = scale
    let range = scale > 1e-20 ? Float(scale) : 1
    components = (0..<width).map { index in
      units[index / 32] * range * Float.random(in: -140...140, using: &random)
    }
  }

  /// What one unit of code is worth.
  func step(_ index: Int) -> Double { Double(units[index / 32]) * scale }

  func coded() -> (codes: [UInt8], errors: ek_coding_errors) {
    let components = FencedMemory.holding(components)
    let units = FencedMemory.holding(units)
    let count = self.components.count
    let codes = FencedMemory.holding([UInt8](repeating: 0, count: count))
    let errors = ek_code_components(
      components.elements, units.elements, count, scale, codes.elements)
    return ((0..<count).map { codes.elements[$0] }, errors)
  }
}
