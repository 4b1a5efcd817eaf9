import Testing

@testable import EmbeddingFiles

@Suite struct JournalHeaderTests {
  static func decode(_ bytes: TestBytes) throws(StorageError) -> JournalHeader {
    try bytes.bytes.withRawSpan { (span) throws(StorageError) in
      try JournalHeader(span, path: "journal")
    }
  }

  static func code(_ bytes: TestBytes) -> StorageError.Code? {
    errorCode { () throws(StorageError) in _ = try decode(bytes) }
  }

  @Test func readsBackWhatItWrites() throws {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let header = JournalHeader(
        identifier: StoreIdentifier(high: generator.next(), low: generator.next()),
        generation: generator.next(), mainGeneration: generator.next(),
        mainHeaderChecksum: UInt32(truncatingIfNeeded: generator.next()),
        dimension: Int.random(in: 1...4_096, using: &generator), salt: generator.next(),
        firstSequence: 1 + generator.next() >> 2)
      #expect(try Self.decode(TestBytes(header.encoded())) == header)
    }
  }

  /// A change of these bytes is a change of the format.
  @Test func bytesAreThoseOfThePage() {
    let header = JournalHeader(
      identifier: StoreIdentifier(high: 0x0102_0304_0506_0708, low: 0x1112_1314_1516_1718),
      generation: 9, mainGeneration: 7, mainHeaderChecksum: 0xa1a2_a3a4, dimension: 512,
      salt: 0xb1b2_b3b4_b5b6_b7b8, firstSequence: 258)
    var expected = TestBytes(
      [UInt8](
        hexadecimal: """
          8945534a0d0a1a0a 01000000 80000000
          0807060504030201 1817161514131211
          0900000000000000 0700000000000000 a4a3a2a1 00020000
          b8b7b6b5b4b3b2b1 0201000000000000
          """) + [UInt8](repeating: 0, count: 56))
    expected.seal(at: 124)
    #expect(header.encoded() == expected.bytes)
    #expect(header.checksum == expected.value(at: 124, as: UInt32.self))
  }

  @Test func everyFlippedBitIsRefused() {
    let whole = TestJournal().file
    for offset in 0..<whole.count {
      for bit in 0..<8 {
        var bytes = whole
        bytes.flip(bit: bit, at: offset)
        #expect(
          Self.code(bytes) == ((8..<12).contains(offset) ? .unsupportedFormat : .journalCorrupt),
          "byte \(offset) bit \(bit)")
      }
    }
  }

  @Test func everyShorterLengthIsRefused() {
    let whole = TestJournal().file.bytes
    for count in 0..<whole.count {
      #expect(Self.code(TestBytes(Array(whole[..<count]))) == .journalCorrupt)
    }
  }

  @Test func aLaterVersionIsNotDamage() {
    var bytes = TestJournal().file
    bytes.set(UInt32(2), at: 8)
    #expect(Self.code(bytes) == .unsupportedFormat)
  }

  @Test(arguments: [0, (1 << 62) + 1, 1 << 63, .max] as [UInt64])
  func sequenceNumbersThatCouldOverflowAreRefused(first: UInt64) {
    var bytes = TestJournal().file
    bytes.set(first, at: 64)
    bytes.seal(at: 124)
    #expect(Self.code(bytes) == .journalCorrupt)
  }

  @Test func anotherSizeIsRefusedThoughTheChecksumHolds() {
    var bytes = TestJournal().file
    bytes.set(UInt32(256), at: 12)
    bytes.seal(at: 124)
    #expect(Self.code(bytes) == .journalCorrupt)
  }

  @Test func reservedBytesAreReadOverAndStayInTheChecksum() throws {
    var bytes = TestJournal().file
    bytes.set(UInt64(1), at: 80)
    bytes.seal(at: 124)
    #expect(try Self.decode(bytes).checksum == bytes.value(at: 124, as: UInt32.self))
  }
}
