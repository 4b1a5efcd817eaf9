import Testing

@testable import EmbeddingFiles

@Suite struct FormatPrimitivesTests {
  @Test func loadsBeyondTheEndAreNilAtEveryOffset() {
    let bytes = [UInt8](1...16)
    bytes.withRawSpan { span in
      for offset in [-1, Int.min, Int.max, Int.max - 1] + Array(0...20) {
        #expect((span.integer(at: offset, as: UInt64.self) != nil) == (0...8).contains(offset))
        #expect((span.integer(at: offset, as: UInt8.self) != nil) == (0...15).contains(offset))
        for count in [-1, 0, 1, 15, 16, 17, Int.max] {
          let isWithin =
            count >= 0 && (0...16).contains(offset) && (0...16).contains(count)
            && offset + count <= 16
          #expect(span.contains(offset, count) == isWithin)
          #expect((span.array(at: offset, count: count) != nil) == isWithin)
          #expect((span.string(at: offset, count: count) != nil) == isWithin)
          #expect(!span.isZero(at: offset, count: count) || count == 0)
        }
      }
      #expect(span.integer(at: 3, as: UInt32.self) == 0x0706_0504)
    }
  }

  @Test func lengthsLargerThanTheBytesAreNil() {
    var bytes = TestBytes([UInt8](repeating: 0, count: 8))
    for (value, expected) in [(8, 8), (0, 0), (9, nil), (UInt32.max, nil)] as [(UInt32, Int?)] {
      bytes.set(value, at: 0)
      #expect(bytes.bytes.withRawSpan { $0.length(at: 0, as: UInt32.self) } == expected)
    }
    bytes.set(UInt64.max, at: 0)
    #expect(bytes.bytes.withRawSpan { $0.length(at: 0, as: UInt64.self) } == nil)
  }

  @Test func whatIsNotUTF8IsNoString() {
    for bytes in [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]] {
      #expect(
        [UInt8](bytes.map { UInt8($0) }).withRawSpan { $0.string(at: 0, count: $0.byteCount) }
          == nil)
    }
  }

  /// The table in Docs/FileFormat.md.
  @Test(
    arguments: [
      ("a", 0x82a2_a958_a9be_ce5b), ("IMG_0001", 0x51b3_6270_1d6a_bed4),
      ("\u{e9}", 0x9d55_ccb9_ba86_763b), ("e\u{301}", 0x5b2b_2844_a45b_76da),
    ] as [(String, UInt64)])
  func keysHashAsThePageSays(key: String, hash: UInt64) {
    #expect(KeyHash.hash(key) == hash)
  }

  @Test func composedAndDecomposedKeysDiffer() {
    #expect(Key("\u{e9}") != Key("e\u{301}"))
    #expect(Key("e\u{301}") < Key("\u{e9}"))
    #expect(Set([Key("\u{e9}"), Key("e\u{301}"), Key("\u{e9}")]).count == 2)
  }
}

@Suite struct FormatRowBitmapTests {
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func doesWhatASetOfRowsDoes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var rowCount = Int.random(in: 0...200, using: &generator)
    var bitmap = RowBitmap(rowCount: rowCount, repeating: seed % 2 == 0)
    var rows = seed % 2 == 0 ? Set(0..<rowCount) : []
    for _ in 0..<300 {
      let row = Int.random(in: 0..<max(rowCount, 1), using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0...2 where row < rowCount:
        bitmap.insert(row)
        rows.insert(row)
      case 3,
        4 where row < rowCount:
        bitmap.remove(row)
        rows.remove(row)
      case 5:
        let grown = rowCount + Int.random(in: -3...70, using: &generator)
        bitmap.grow(to: grown)
        rowCount = max(rowCount, grown)
      default:
        let otherCount = Int.random(in: 0...rowCount, using: &generator)
        var other = RowBitmap(
          words: (0..<(otherCount + 63) / 64).map { _ in generator.next() | generator.next() },
          rowCount: otherCount)
        let otherRows = Set((0..<otherCount).filter { other.contains($0) })
        if row % 2 == 0 {
          bitmap.formIntersection(other)
          rows.formIntersection(otherRows)
        } else {
          other.formIntersection(bitmap)
          bitmap.subtract(other)
          rows.subtract(otherRows)
        }
      }
      expectEqual(bitmap, rows, rowCount, &generator)
    }
  }

  private func expectEqual(
    _ bitmap: RowBitmap, _ rows: Set<Int>, _ rowCount: Int, _ generator: inout SeededGenerator
  ) {
    #expect(bitmap.rowCount == rowCount)
    #expect(bitmap.count == rows.count)
    #expect((0..<rowCount + 70).allSatisfy { bitmap.contains($0) == rows.contains($0) })
    let lower = Int.random(in: 0...rowCount, using: &generator)
    let range = lower..<Int.random(in: lower...rowCount, using: &generator)
    var found: [Int] = []
    bitmap.forEach(in: range) { found.append($0) }
    #expect(found == rows.filter(range.contains).sorted(), "\(range)")
    let whole = lower / 64 * 64..<rowCount
    #expect(bitmap.count(in: whole) == rows.filter(whole.contains).count)
  }

  @Test func bitsBeyondTheRowsAreDropped() {
    let bitmap = RowBitmap(words: [.max, .max], rowCount: 65)
    #expect(bitmap.count == 65)
    #expect(bitmap == RowBitmap(rowCount: 65, repeating: true))
  }
}
