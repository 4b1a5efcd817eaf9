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
      // The checksum table is checked at once, the rest before its first use.
      let isTable = offset >= Int(whole.value(at: 104, as: UInt64.self))
      let code = isTable ? TestMainFile.openingCode(bytes) : TestMainFile.code(bytes)
      #expect(code == .corrupt, "byte \(offset)")
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
      (SectionKind.detailLocations, 47), (.detailBlocks, 63), (.detailBytes, UInt32.max),
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
    ("no sections", 52, 4, 0), ("two sections less", 52, 4, 13), ("one section more", 52, 4, 16),
    ("size of the file", 56, 8, 1 << 40), ("one row more", 64, 8, 6), ("one row less", 64, 8, 4),
    ("no rows", 64, 8, 0), ("2^63 rows", 64, 8, 1 << 63), ("2^32 rows", 64, 8, 1 << 32),
    ("dimension 0", 72, 4, 0), ("dimension above its limit", 72, 4, 4_097),
    ("dimension against stride", 72, 4, 33), ("stride", 76, 4, 128), ("element format", 80, 1, 2),
    ("normalisation", 81, 1, 2), ("key hash", 82, 2, 0), ("size of a block", 84, 4, 4_096),
    ("last sequence number", 88, 8, .max), ("last sequence number at its limit", 88, 8, 1 << 62),
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
    #expect(TestMainFile.openingCode(bytes) == .corrupt)
  }

  @Test func namesThatAreNotUTF8AreRefused() throws {
    for offset in [128, 1_152] {
      var bytes = try TestMainFile.bytes()
      bytes.set(UInt8(0xff), at: offset)
      bytes.sealMainFile()
      #expect(TestMainFile.code(bytes) == .corrupt)
    }
  }

  @Test(arguments: TestMainFile.sectionKinds)
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
        // A section that lies elsewhere may look whole until it is read.
        let code = field == 8 ? TestMainFile.code(bytes) : TestMainFile.openingCode(bytes)
        #expect(code == .corrupt, "field \(field) \(value) -> \(changed)")
      }
    }
  }

  @Test func withoutItsRevisionsARowHasNone() throws {
    var bytes = try TestMainFile.bytes()
    bytes.set(UInt32(40), at: try bytes.sectionEntry(.revisions))
    bytes.sealMainFile()
    let file = try TestMainFile.open(bytes)
    #expect(try (0..<5).allSatisfy { try file.revision(of: $0) == RecordDetails.noRevision })
  }

  @Test(arguments: TestMainFile.sectionKinds.filter { $0 != .revisions })
  func noSectionMayBeMissing(kind: SectionKind) throws {
    var bytes = try TestMainFile.bytes()
    bytes.set(UInt32(40), at: try bytes.sectionEntry(kind))
    bytes.sealMainFile()
    #expect(TestMainFile.openingCode(bytes) == .corrupt)
  }

  @Test func noKindMayOccurTwiceNotEvenAnUnknownOne() throws {
    var bytes = try TestMainFile.bytes()
    let kinds: [(SectionKind, UInt32)] = [
      (SectionKind.detailLocations, 32), (.detailBlocks, 33), (.detailBytes, 32),
    ]
    for (kind, number) in kinds {
      bytes.set(number, at: try bytes.sectionEntry(kind))
    }
    bytes.sealMainFile()
    #expect(TestMainFile.openingCode(bytes) == .corrupt)
  }

  @Test(arguments: [64, 65])
  func theListHoldsSixtyFourSections(count: Int) throws {
    var bytes = try TestMainFile.bytes()
    let start = MainHeader.sectionsOffset
    let known = Array(bytes.bytes[start..<start + 14 * 32])
    for index in 0..<count - 14 {
      bytes.set(UInt32(100 + index), at: start + 32 * index)
      bytes.set(UInt32(0), at: start + 32 * index + 4)
      bytes.set(UInt64(MainHeader.byteCount), at: start + 32 * index + 8)
      bytes.set(UInt64(0), at: start + 32 * index + 16)
      bytes.set(UInt64(0), at: start + 32 * index + 24)
    }
    let end = start + 32 * (count - 14)
    bytes.bytes.replaceSubrange(end..<end + known.count, with: known)
    bytes.set(UInt32(count), at: 52)
    bytes.sealMainFile()
    #expect(TestMainFile.code(bytes) == (count <= 64 ? nil : .corrupt))
  }

  /// With size and number of items in agreement.
  @Test(arguments: [0, 1, 3, 4, 5, 7] as [UInt64])
  func aKeyIndexWithAnImpossibleNumberOfSlotsIsRefused(slotCount: UInt64) throws {
    var bytes = try TestMainFile.bytes()
    let entry = try bytes.sectionEntry(.keyIndex)
    bytes.set(8 * slotCount, at: entry + 16)
    bytes.set(slotCount, at: entry + 24)
    bytes.sealMainFile()
    #expect(TestMainFile.openingCode(bytes) == .corrupt)
  }

  @Test func rowsThatDoNotBeginAtAPageAreRefused() throws {
    // Without rows, the section fits anywhere.
    var bytes = try TestMainFile.bytes([])
    bytes.set(UInt64(MainHeader.byteCount + 64), at: try bytes.sectionEntry(.rows) + 8)
    for kind in [
      SectionKind.timestamps, .changeNumbers, .parts, .keyOffsets, .keyBytes, .keyIndex,
    ] {
      let entry = try bytes.sectionEntry(kind)
      bytes.set(bytes.value(at: entry + 8, as: UInt64.self) + 64, at: entry + 8)
    }
    bytes.bytes.insert(
      contentsOf: [UInt8](repeating: 0, count: 64), at: MainHeader.byteCount)
    bytes.set(UInt64(bytes.count), at: 56)
    bytes.set(bytes.value(at: 104, as: UInt64.self) + 64, at: 104)
    bytes.sealMainFile()
    #expect(TestMainFile.openingCode(bytes) == .corrupt)
    bytes.set(UInt64(MainHeader.byteCount), at: try bytes.sectionEntry(.rows) + 8)
    bytes.sealMainFile()
    #expect(TestMainFile.code(bytes) == nil)
  }

  @Test func aChecksumForABlockThatIsNotThereIsRefused() throws {
    var bytes = TestBytes(try TestMainFile.bytes().bytes + [1, 2, 3, 4])
    bytes.set(UInt64(bytes.count), at: 56)
    bytes.set(UInt32(2), at: 112)
    bytes.sealMainFile()
    #expect(TestMainFile.openingCode(bytes) == .corrupt)
  }

  @Test func aChangeNumberBeyondTheLastIsAProblem() throws {
    var bytes = try TestMainFile.bytes()
    bytes.set(UInt64(1), at: 88)
    bytes.sealMainFile()
    #expect(TestMainFile.code(bytes) == .corrupt)
  }
}
