import Testing

@testable import EmbeddingKernels

@Suite struct CodeBasisTests {
  @Test(arguments: [64, 65, 100, 513])
  func bytesHoldTheWholeBasis(dimension: Int) throws {
    var random = SeededGenerator()
    let basis = try Self.basis(dimension: dimension, using: &random)
    let bytes = basis.bytes
    #expect(bytes.count == CodeBasis.byteCount(basis.layout))
    func floats(_ start: UnsafePointer<Float>, _ count: Int) -> [Float] {
      Array(UnsafeBufferPointer(start: start, count: count))
    }
    let read = Self.withView(of: bytes, basis.layout) { view in
      (
        defect: view.defect, units: floats(view.units, basis.units.count),
        direction: floats(view.direction, dimension),
        rotation: floats(view.rotation, basis.rotation.count)
      )
    }
    let found = try #require(read)
    #expect(found.defect == basis.defect, "\(random.replay)")
    #expect(found.units == basis.units, "\(random.replay)")
    #expect(found.direction == basis.direction, "\(random.replay)")
    #expect(found.rotation == basis.rotation, "\(random.replay)")
  }

  /// The bytes as the format has them.
  @Test func bytesLieWhereTheFormatSays() throws {
    var random = SeededGenerator()
    let basis = try Self.basis(dimension: 100, using: &random)
    let bytes = basis.bytes
    func word(_ offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }
    #expect([0, 4, 8, 12].map(word) == [1, 100, 100, 4_096])
    #expect(word(16) == basis.defect.bitPattern)
    #expect(bytes[20..<64].allSatisfy { $0 == 0 })
    let floats = basis.units + basis.direction + basis.rotation
    #expect(basis.units.count == 4 && bytes.count == 64 + 4 * floats.count)
    #expect(floats.indices.allSatisfy { word(64 + 4 * $0) == floats[$0].bitPattern })
  }

  @Test func bytesOfAnotherSizeAreRefused() throws {
    var random = SeededGenerator()
    let basis = try Self.basis(dimension: 64, using: &random)
    let bytes = basis.bytes
    #expect(Self.isRead(bytes, basis.layout))
    for count in [0, 1, 16, 63, 64, bytes.count - 4, bytes.count - 1] {
      #expect(!Self.isRead(Array(bytes.prefix(count)), basis.layout))
    }
    for more in [1, 4, 64] {
      #expect(!Self.isRead(bytes + [UInt8](repeating: 0, count: more), basis.layout))
    }
  }

  @Test func bytesOfAnotherLayoutOrVersionAreRefused() throws {
    var random = SeededGenerator()
    let basis = try Self.basis(dimension: 64, using: &random)
    for dimension in [63, 65, 96, 128, 512] {
      guard let other = CodeLayout(dimension: dimension) else { continue }
      #expect(!Self.isRead(basis.bytes, other))
    }
    for offset in 0..<16 {
      var bytes = basis.bytes
      bytes[offset] ^= 0x10
      #expect(!Self.isRead(bytes, basis.layout), "byte \(offset)")
    }
  }

  @Test func floatsThatAreNotAlignedAreRefused() throws {
    var random = SeededGenerator()
    let basis = try Self.basis(dimension: 64, using: &random)
    for offset in 0...4 {
      let moved = [UInt8](repeating: 0, count: offset) + basis.bytes
      let isRead = moved.withUnsafeBytes { buffer in
        CodeBasis.withView(
          of: RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[offset...])),
          basis.layout
        ) { _ in true } ?? false
      }
      #expect(isRead == (offset % 4 == 0), "\(offset) bytes off")
    }
  }

  /// Any numbers will do: a basis is not looked into.
  private static func basis(
    dimension: Int, using random: inout SeededGenerator
  ) throws -> CodeBasis {
    let layout = try #require(CodeLayout(dimension: dimension))
    return CodeBasis(
      layout, units: random.floats(layout.unitCount).map(\.magnitude),
      direction: random.floats(dimension),
      rotation: random.floats(layout.rotatedCount * dimension))
  }

  private static func withView<Result>(
    of bytes: [UInt8], _ layout: CodeLayout, _ body: (CodeBasis.View) -> Result?
  ) -> Result? {
    bytes.withUnsafeBytes { CodeBasis.withView(of: RawSpan(_unsafeBytes: $0), layout, body) }
  }

  private static func isRead(_ bytes: [UInt8], _ layout: CodeLayout) -> Bool {
    withView(of: bytes, layout) { _ in true } ?? false
  }
}
