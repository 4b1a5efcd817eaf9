import EmbeddingKernels
import Testing

/// Bytes of files are anybody's: whatever a basis or a chunk says, nothing traps.
@Suite struct CodeForgeryTests {
  private static let layout = CodeLayout(dimension: 64)!

  private static func basis() throws -> (basis: CodeBasis, rows: RowBuffer) {
    var generator = SeededGenerator()
    let rows = RowBuffer(dimension: 64, capacity: 100)
    for _ in 0..<100 {
      let vector = (0..<64).map { _ in Float.random(in: -1...1, using: &generator) }
      try rows.append(ContiguousArray(vector).span, normalizing: true)
    }
    let basis = rows.withBytes { bytes in
      CodeBasis(layout, stride: rows.stride) { visit in visit(bytes, rows.count) }
    }
    return (try #require(basis), rows)
  }

  static let numbers: [Float] = [.nan, .infinity, -.infinity, -1, 0, 3e38, .leastNonzeroMagnitude]

  @Test(arguments: CodeForgeryTests.numbers)
  func anyNumberInABasisIsRefusedOrHarmless(number: Float) throws {
    let whole = try Self.basis().basis.bytes
    let query = try PreparedQuery(
      ContiguousArray<Float>(repeating: 1, count: 64).span, dimension: 64, normalizing: true)
    // κ, the first unit, a component of u, one of T.
    for offset in [16, 64, 64 + 8 + 40, whole.count - 4] {
      var bytes = whole
      for index in 0..<4 {
        bytes[offset + index] = UInt8(truncatingIfNeeded: number.bitPattern >> (8 * UInt32(index)))
      }
      let coded = bytes.withUnsafeBytes {
        CodeQuery(query, basis: RawSpan(_unsafeBytes: $0), Self.layout, rowLength: 1)
      }
      if !number.isFinite { #expect(coded == nil, "offset \(offset)") }
    }
  }

  @Test(arguments: [0x7c00, 0xfc00, 0x7e00, 0x7bff] as [UInt16])
  func rowsThatNoStoreTakesAreCodedOrNot(half: UInt16) throws {
    let (basis, rows) = try Self.basis()
    var bytes = rows.withBytes { span in (0..<span.byteCount).map { span[$0] } }
    bytes[2 * rows.stride] = UInt8(half & 255)
    bytes[2 * rows.stride + 1] = UInt8(half >> 8)
    let chunk = bytes.withUnsafeBytes { bytes in
      RowEncoder(basis).encode(rows.count, stride: rows.stride) { visit in
        visit(RawSpan(_unsafeBytes: bytes), rows.count)
      }
    }
    #expect(chunk.count == Self.layout.chunkByteCount(rowCount: rows.count))
    let fitted = bytes.withUnsafeBytes { bytes in
      CodeBasis(Self.layout, stride: rows.stride) { visit in
        visit(RawSpan(_unsafeBytes: bytes), rows.count)
      }
    }
    if half & 0x7c00 == 0x7c00 { #expect(fitted == nil) }
  }
}

extension RawSpan {
  fileprivate subscript(offset: Int) -> UInt8 { withUnsafeBytes { $0[offset] } }
}
