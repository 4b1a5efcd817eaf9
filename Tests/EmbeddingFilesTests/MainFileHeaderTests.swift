import Testing

@testable import EmbeddingFiles

@Suite struct MainFileHeaderTests {
  static func decode(_ bytes: [UInt8], fileByteCount: UInt64) throws(StorageError) -> MainHeader {
    try bytes.withRawSpan { (span) throws(StorageError) in
      try MainHeader(span, fileByteCount: fileByteCount, path: "main")
    }
  }

  @Test func readsBackWhatItWrites() throws {
    for records in [[], TestMainFile.records] {
      let bytes = try TestMainFile.bytes(records)
      let header = try Self.decode(bytes.bytes, fileByteCount: UInt64(bytes.count))
      #expect(header.rowCount == records.count)
      #expect(header.space == TestMainFile.space)
      #expect(header.hasParts == !records.isEmpty)
      #expect(header.encoded() == Array(bytes.bytes[..<MainHeader.byteCount]))
    }
  }

  @Test func longestNamesFit() throws {
    var header = try TestMainFile.open(TestMainFile.bytes([])).header
    header.space.model = String(repeating: "é", count: 512)
    header.space.revision = String(repeating: "r", count: 256)
    header.space.dimension = 4_096
    header.sections[0].byteCount = 0
    let decoded = try Self.decode(header.encoded(), fileByteCount: header.fileByteCount)
    #expect(decoded.space == header.space)
  }

  @Test func everyCorruptedByteIsRefused() throws {
    let bytes = try TestMainFile.bytes()
    var generator = SeededGenerator(seed: 2)
    var head = Array(bytes.bytes[..<MainHeader.byteCount])
    for offset in head.indices {
      let original = head[offset]
      head[offset] ^= UInt8.random(in: 1...255, using: &generator)
      let code = errorCode { () throws(StorageError) in
        _ = try Self.decode(head, fileByteCount: UInt64(bytes.count))
      }
      let isVersionOrFeature = (8..<12).contains(offset) || (40..<44).contains(offset)
      #expect(code == (isVersionOrFeature ? .unsupportedFormat : .corrupt), "byte \(offset)")
      head[offset] = original
    }
  }

  @Test func everyCorruptedByteBehindTheHeaderIsAProblem() throws {
    let whole = try TestMainFile.bytes()
    #expect(TestMainFile.code(whole) == nil)
    for offset in MainHeader.byteCount..<whole.count {
      var bytes = whole
      bytes.flip(bit: offset % 8, at: offset)
      #expect(TestMainFile.code(bytes) == .corrupt, "byte \(offset)")
    }
  }

  @Test func everyOtherLengthIsRefused() throws {
    let whole = try TestMainFile.bytes()
    let lengths = Array(stride(from: 0, to: MainHeader.byteCount, by: 509))
    for count in lengths + Array(MainHeader.byteCount - 2..<whole.count) {
      #expect(TestMainFile.code(TestBytes(Array(whole.bytes[..<count]))) == .corrupt)
    }
    #expect(TestMainFile.code(TestBytes(whole.bytes + [0])) == .corrupt)
  }

  @Test func aLaterVersionIsNotDamage() throws {
    var bytes = try TestMainFile.bytes()
    bytes.set(UInt32(2), at: 8)
    #expect(TestMainFile.code(bytes) == .unsupportedFormat)
  }

  @Test func anUnknownIncompatibleFeatureIsUnsupported() throws {
    var bytes = try TestMainFile.bytes()
    for bit in 0..<32 {
      bytes.set(UInt32(1) << UInt32(bit), at: 40)
      bytes.sealMainFile()
      #expect(TestMainFile.code(bytes) == .unsupportedFormat)
    }
  }

  @Test func otherUnknownFeaturesAndReservedBytesAreReadOver() throws {
    var bytes = try TestMainFile.bytes()
    bytes.set(UInt32.max, at: 44)
    bytes.set(UInt32.max, at: 48)
    bytes.set(UInt64.max, at: 1_408)
    bytes.sealMainFile()
    #expect(TestMainFile.code(bytes) == nil)
    let main = try TestMainFile.open(bytes)
    #expect(main.header.checksum == bytes.value(at: 16_380, as: UInt32.self))
    #expect(
      errorCode { () throws(StorageError) in try main.header.features.checkWritable(path: "") }
        == .unsupportedFormat)
  }

  @Test(arguments: [false, true])
  func anUnknownSectionIsSkippedUnlessItIsRequired(isRequired: Bool) throws {
    // The three sections of details become kinds that nobody knows.
    var bytes = try TestMainFile.bytes()
    for (kind, number) in [
      (SectionKind.detailLocations, 32), (.detailBlocks, 63), (.detailBytes, UInt32.max),
    ] {
      let entry = try bytes.sectionEntry(kind)
      bytes.set(number as UInt32, at: entry)
      bytes.set(UInt32(isRequired && number == 63 ? 1 : 0), at: entry + 4)
    }
    bytes.sealMainFile()
    guard !isRequired else {
      #expect(TestMainFile.code(bytes) == .unsupportedFormat)
      return
    }
    #expect(TestMainFile.code(bytes) == nil)
    let details = try TestMainFile.open(bytes).details(of: 0)
    #expect(details.labels == ["x", "y"] && details.metadata == nil && details.text == nil)
  }

  /// Offset in the header, width, and a value that contradicts the rest of the file.
  static let contradictions: [(String, Int, Int, UInt64)] = [
    ("size of the header", 12, 4, 16_383), ("too many sections", 52, 4, 65),
    ("no sections", 52, 4, 0), ("one section less", 52, 4, 13), ("one section more", 52, 4, 15),
    ("size of the file", 56, 8, 1 << 40), ("one row more", 64, 8, 6), ("one row less", 64, 8, 4),
    ("no rows", 64, 8, 0), ("2^63 rows", 64, 8, 1 << 63), ("2^32 rows", 64, 8, 1 << 32),
    ("dimension 0", 72, 4, 0), ("dimension above its limit", 72, 4, 4_097),
    ("dimension against stride", 72, 4, 33), ("stride", 76, 4, 128), ("element format", 80, 1, 2),
    ("normalisation", 81, 1, 2), ("key hash", 82, 2, 0), ("size of a block", 84, 4, 4_096),
    ("last sequence number", 88, 8, .max), ("last sequence number at its limit", 88, 8, 1 << 62),
    ("last sequence number below a row's", 88, 8, 1),
    ("length of rows: not a number", 96, 4, 0x7fc0_0000),
    ("length of rows: infinite", 96, 4, 0x7f80_0000),
    ("length of rows: negative", 96, 4, 0xbf80_0000), ("flags", 100, 4, 2),
    ("table within the header", 104, 8, 16_000), ("table behind the file", 104, 8, 1 << 50),
    ("table at the largest offset", 104, 8, .max), ("no checksums", 112, 4, 0),
    ("more checksums", 112, 4, 2), ("most checksums", 112, 4, UInt64(UInt32.max)),
    ("no model", 120, 2, 0), ("too long a model", 120, 2, 1_025),
    ("too long a revision", 122, 2, 257),
  ]

  @Test(arguments: contradictions)
  func contradictionsAreRefusedThoughEveryChecksumHolds(
    what: String, offset: Int, width: Int, value: UInt64
  ) throws {
    var bytes = try TestMainFile.bytes()
    for index in 0..<width {
      bytes.set(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)), at: offset + index)
    }
    bytes.sealMainFile()
    #expect(TestMainFile.code(bytes) == .corrupt)
  }

  @Test func namesThatAreNotUTF8AreRefused() throws {
    for offset in [128, 1_152] {
      var bytes = try TestMainFile.bytes()
      bytes.set(UInt8(0xff), at: offset)
      bytes.sealMainFile()
      #expect(TestMainFile.code(bytes) == .corrupt)
    }
  }

  @Test(arguments: SectionKind.allCases)
  func sectionsThatContradictTheRowsAreRefused(kind: SectionKind) throws {
    let whole = try TestMainFile.bytes()
    let entry = try whole.sectionEntry(kind)
    for field in [8, 16, 24] {
      let value = whole.value(at: entry + field, as: UInt64.self)
      for changed in [
        value &+ 1, value &- 1, value &+ 64, value &- 64, value &+ 8, 0, 1 << 40, 1 << 63, .max,
      ] where changed != value {
        var bytes = whole
        bytes.set(changed, at: entry + field)
        bytes.sealMainFile()
        #expect(TestMainFile.code(bytes) == .corrupt, "field \(field) \(value) -> \(changed)")
      }
    }
  }

  @Test(arguments: SectionKind.allCases)
  func noSectionMayBeMissingOrTwice(kind: SectionKind) throws {
    let whole = try TestMainFile.bytes()
    let entry = try whole.sectionEntry(kind)
    var missing = whole
    missing.set(UInt32(40), at: entry)
    missing.sealMainFile()
    #expect(TestMainFile.code(missing) == .corrupt)
    var twice = whole
    let other = kind == .rows ? SectionKind.parts : .rows
    twice.set(other.rawValue, at: entry)
    twice.sealMainFile()
    #expect(TestMainFile.code(twice) == .corrupt)
  }
}
