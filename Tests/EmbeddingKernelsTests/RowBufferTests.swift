import EmbeddingKernels
import Testing

@Suite struct RowBufferTests {
  @Test(arguments: [
    (1, 64), (31, 64), (32, 64), (33, 128), (384, 768), (385, 832), (4096, 8192),
  ])
  func aRowTakesWholeCacheLines(dimension: Int, bytes: Int) {
    #expect(RowBuffer.stride(forDimension: dimension) == bytes)
    #expect(RowBuffer(dimension: dimension, capacity: 0).stride == bytes)
  }

  @Test(arguments: availableLevels)
  func rowsAreRoundedPaddedWithZeroAndAligned(level: KernelLevel) throws {
    var random = SeededGenerator()
    for dimension in [1, 5, 31, 32, 33, 100] {
      let buffer = RowBuffer(dimension: dimension, capacity: 2, kernels: level.kernels)
      let vectors = (0..<20).map { _ in random.floats(dimension, exponents: -10...10) }
      for vector in vectors { try buffer.append(vector.span, normalizing: false) }
      #expect(buffer.count == 20)
      let rows = halves(of: buffer)
      for (row, vector) in zip(rows, vectors) {
        #expect(row.prefix(dimension).elementsEqual(vector.map(oracleHalf)), "\(random.replay)")
        #expect(row.dropFirst(dimension).allSatisfy { $0 == 0 })
      }
      #expect(rows.count == 20)
      buffer.withBytes { bytes in
        bytes.withUnsafeBytes { #expect(Int(bitPattern: $0.baseAddress) % 64 == 0) }
      }
    }
  }

  @Test(arguments: availableLevels)
  func normalisedRowsHaveTheBitsOfTheFormulaAndLengthOne(level: KernelLevel) throws {
    var random = SeededGenerator()
    for exponents in [-3...3, 100...127, -15...(-10)] {
      for dimension in [1, 2, 33, 384] {
        let buffer = RowBuffer(dimension: dimension, capacity: 1, kernels: level.kernels)
        let vector = random.floats(dimension, exponents: exponents)
        try buffer.append(vector.span, normalizing: true)
        let row = halves(of: buffer)[0].prefix(dimension)
        let scale = 1 / oracleSumOfSquares(vector).squareRoot()
        #expect(
          row.elementsEqual(vector.map { oracleHalf(Float(Double($0) * scale)) }),
          "\(random.replay)")
        let length = oracleSumOfSquares(row.map(oracleFloat)).squareRoot()
        #expect(abs(length - 1) < 0x1p-10, "\(random.replay)")
      }
    }
  }

  @Test(arguments: availableLevels, [1, 40])
  func defectsAreNamedAndLeaveTheBufferUnchanged(level: KernelLevel, dimension: Int) throws {
    let buffer = RowBuffer(dimension: dimension, capacity: 4, kernels: level.kernels)
    let last = dimension - 1
    func defect(_ value: Float, normalizing: Bool) -> VectorDefect? {
      var vector = [Float](repeating: 0, count: dimension)
      vector[last] = value
      do throws(VectorDefect) {
        try buffer.append(vector.span, normalizing: normalizing)
        return nil
      } catch {
        return error
      }
    }
    for normalizing in [true, false] {
      for value in [Float.nan, .signalingNaN, .infinity, -.infinity] {
        #expect(defect(value, normalizing: normalizing) == .notFinite(component: last))
      }
    }
    #expect(defect(0, normalizing: true) == .zeroLength(length: 0))
    #expect(defect(1e-7, normalizing: true) == .zeroLength(length: Double(Float(1e-7))))
    #expect(
      defect(.leastNonzeroMagnitude, normalizing: true)
        == .zeroLength(length: Double(Float.leastNonzeroMagnitude)))
    for value in [Float(65504).nextUp, 65520, -65520, 3e38] {
      #expect(defect(value, normalizing: false) == .outOfRange(component: last))
    }
    #expect(buffer.count == 0)

    #expect(defect(3e38, normalizing: true) == nil)
    #expect(defect(-1.1e-6, normalizing: true) == nil)
    for value in [Float(65504), -65504, 1e-7, 0, .leastNonzeroMagnitude] {
      #expect(defect(value, normalizing: false) == nil)
    }
    let expected: [UInt16] = [0x3C00, 0xBC00, 0x7BFF, 0xFBFF, 0x0002, 0, 0]
    #expect(halves(of: buffer).map { $0[last] } == expected)
  }

  @Test func aLongVectorOfComponentsInRangeIsAccepted() throws {
    let buffer = RowBuffer(dimension: 4096, capacity: 1)
    let vector = [Float](repeating: 65504, count: 4096)  // Its length is far beyond 65504.
    try buffer.append(vector.span, normalizing: false)
    #expect(halves(of: buffer)[0].allSatisfy { $0 == 0x7BFF })
  }

  @Test(arguments: [0, 2, 4])
  func aVectorOfAnotherDimensionIsRefused(found: Int) {
    let buffer = RowBuffer(dimension: 3, capacity: 1)
    let vector = [Float](repeating: 1, count: found)
    #expect(throws: VectorDefect.wrongDimension(expected: 3, found: found)) {
      try buffer.append(vector.span, normalizing: true)
    }
  }

  @Test func removingAllRowsStartsOver() throws {
    let buffer = RowBuffer(dimension: 1, capacity: 1)
    let (one, two): ([Float], [Float]) = ([1], [2])
    try buffer.append(one.span, normalizing: false)
    buffer.removeAll()
    #expect(halves(of: buffer).isEmpty)
    try buffer.append(two.span, normalizing: false)
    #expect(halves(of: buffer).map { $0[0] } == [0x4000])
  }

  private func halves(of buffer: RowBuffer) -> [[UInt16]] {
    buffer.withBytes { bytes in
      bytes.withUnsafeBytes { bytes in
        stride(from: 0, to: bytes.count, by: buffer.stride).map { start in
          Array(bytes[start..<start + buffer.stride].withMemoryRebound(to: UInt16.self) { $0 })
        }
      }
    }
  }
}
