import CEmbeddingKernels
import EmbeddingKernels
import Testing

@Suite struct SelectionKernelTests {
  @Test(arguments: availableLevels)
  func selectionKeepsWhatIsNotBelowTheThreshold(level: KernelLevel) {
    var random = SeededGenerator()
    let special: [Float] = [.nan, -.nan, .infinity, -.infinity, 0, -0.0, .leastNonzeroMagnitude]
    let thresholds: [Float] = [-.infinity, -1, -0.0, 0, 0.5, 2, .infinity, .nan]
    for count in Array(0...100) + [1024] {
      let scores = (0..<count).map { _ in
        UInt8.random(in: 0..<4, using: &random) == 0
          ? special.randomElement(using: &random) ?? 0
          : Float(Int.random(in: -4...4, using: &random)) / 2
      }
      for threshold in thresholds {
        var indexes = [UInt32](repeating: .max, count: count + 20)
        let found = level.routines.select_f32(scores, count, threshold, &indexes)
        let expected = scores.indices.filter { !(scores[$0] < threshold) }.map(UInt32.init)
        #expect(Array(indexes.prefix(found)) == expected, "\(threshold), \(random.replay)")
        #expect(indexes.dropFirst(count).allSatisfy { $0 == .max }, "wrote beyond the count")
      }
    }
  }

  @Test(arguments: availableLevels)
  func theRangeBitmapMarksExactlyTheValuesWithin(level: KernelLevel) {
    var random = SeededGenerator()
    let edges: [Int64] = [.min, .min + 1, -2, -1, 0, 1, 2, .max - 1, .max]
    for count in Array(0...130) + [1000] {
      let values = (0..<count).map { _ in edges.randomElement(using: &random) ?? 0 }
      for lower in edges {
        let upper = edges.randomElement(using: &random) ?? 0
        let words = values.withUnsafeBytes {
          markRange(
            values: RawSpan(_unsafeBytes: $0), count: count, lower: lower, upper: upper,
            kernels: level.kernels)
        }
        var expected = [UInt64](repeating: 0, count: (count + 63) / 64)
        for (index, value) in values.enumerated() where lower <= value && value <= upper {
          expected[index / 64] |= 1 << UInt64(index % 64)
        }
        #expect(words == expected, "\(lower)...\(upper), \(count), \(random.replay)")
      }
    }
  }

  @Test(arguments: availableLevels)
  func theReadProbeSeesEveryByte(level: KernelLevel) {
    var random = SeededGenerator()
    for count in Array(0...40) + Array(120...140) + Array(250...270) + [1000, 4099] {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      var expected: UInt64 = 0
      for (index, byte) in bytes.enumerated() { expected ^= UInt64(byte) << UInt64(index % 8 * 8) }
      let found = bytes.withUnsafeBytes {
        readBandwidthProbe(RawSpan(_unsafeBytes: $0), kernels: level.kernels)
      }
      #expect(found == expected, "\(count) bytes, \(random.replay)")
    }
  }
}
