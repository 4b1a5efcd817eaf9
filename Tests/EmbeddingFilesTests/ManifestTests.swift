import Testing

@testable import EmbeddingFiles

@Suite struct ManifestTests {
  static let sample = Manifest(
    identifier: StoreIdentifier(high: 0x0102_0304_0506_0708, low: 0x1112_1314_1516_1718),
    mainGeneration: 7, journalGeneration: 9, mainHeaderChecksum: 0xa1a2_a3a4,
    journalSalt: 0xb1b2_b3b4_b5b6_b7b8, journalSyncedThrough: 4_096, lastGeneration: 12)

  static func decode(_ bytes: TestBytes) throws(StorageError) -> Manifest {
    try bytes.bytes.withRawSpan { (span) throws(StorageError) in try Manifest(span, path: "M") }
  }

  static func code(_ bytes: TestBytes) -> StorageError.Code? {
    errorCode { () throws(StorageError) in _ = try decode(bytes) }
  }

  @Test func readsBackWhatItWrites() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      var manifest = Manifest(
        identifier: StoreIdentifier(high: generator.next(), low: generator.next()),
        mainGeneration: generator.next() >> 2, journalGeneration: generator.next() >> 2,
        mainHeaderChecksum: UInt32(truncatingIfNeeded: generator.next()),
        journalSalt: generator.next(), journalSyncedThrough: generator.next(),
        lastGeneration: (1 << 62) - 1)
      manifest.features.readOnlyCompatible = UInt32(truncatingIfNeeded: generator.next())
      manifest.features.compatible = UInt32(truncatingIfNeeded: generator.next())
      #expect(try Self.decode(TestBytes(manifest.encoded())) == manifest)
    }
  }

  /// A change of these bytes is a change of the format.
  @Test func bytesAreThoseOfThePage() throws {
    var expected = TestBytes(
      [UInt8](
        hexadecimal: """
          8945534d0d0a1a0a 01000000 80000000
          0807060504030201 1817161514131211
          0700000000000000 0900000000000000 a4a3a2a1 00000000
          b8b7b6b5b4b3b2b1 0010000000000000 0c00000000000000
          """) + [UInt8](repeating: 0, count: 48))
    expected.seal(at: 124)
    #expect(Self.sample.encoded() == expected.bytes)
  }

  @Test func everyFlippedBitIsRefused() {
    let whole = TestBytes(Self.sample.encoded())
    for offset in 0..<whole.count {
      for bit in 0..<8 {
        var bytes = whole
        bytes.flip(bit: bit, at: offset)
        let expected: StorageError.Code =
          switch offset {
          case 0..<8: .notAStore
          case 8..<12: .unsupportedFormat
          default: .corrupt
          }
        #expect(Self.code(bytes) == expected, "byte \(offset) bit \(bit)")
      }
    }
  }

  @Test func everyOtherLengthIsRefused() {
    let whole = Self.sample.encoded()
    for count in 0..<whole.count {
      let code = Self.code(TestBytes(Array(whole[..<count])))
      #expect(code == (count < 8 ? .notAStore : .corrupt), "\(count) bytes")
    }
    #expect(Self.code(TestBytes(whole + [0])) == .corrupt)
    #expect(Self.code(TestBytes(whole + whole)) == .corrupt)
  }

  @Test func aLaterVersionIsNotDamageWhateverFollows() {
    for version in [0, 2, 3, UInt32.max] {
      var bytes = TestBytes(Self.sample.encoded() + [UInt8](repeating: 7, count: 100))
      bytes.set(version, at: 8)
      #expect(Self.code(bytes) == .unsupportedFormat)
    }
  }

  @Test func anUnknownIncompatibleFeatureIsUnsupported() throws {
    for bit in 0..<32 {
      var bytes = TestBytes(Self.sample.encoded())
      bytes.set(UInt32(1) << UInt32(bit), at: 80)
      bytes.seal(at: 124)
      #expect(Self.code(bytes) == .unsupportedFormat)
    }
  }

  @Test func anUnknownReadOnlyCompatibleFeatureForbidsWritingOnly() throws {
    var bytes = TestBytes(Self.sample.encoded())
    bytes.set(UInt32(4), at: 84)
    bytes.seal(at: 124)
    let features = try Self.decode(bytes).features
    #expect(
      errorCode { () throws(StorageError) in try features.checkWritable(path: "") }
        == .unsupportedFormat)
    bytes.set(UInt32(0), at: 84)
    bytes.set(UInt32(4), at: 88)
    bytes.seal(at: 124)
    try Self.decode(bytes).features.checkWritable(path: "")
  }

  @Test(
    arguments: [
      ("a main file newer than the highest number", 32, 13),
      ("a journal newer than the highest number", 40, 13),
      ("a highest number that can not be exceeded", 72, UInt64.max),
      ("another size", 12, 0),
    ] as [(String, Int, UInt64)])
  func contradictionsAreRefusedThoughTheChecksumHolds(what: String, offset: Int, value: UInt64) {
    var bytes = TestBytes(Self.sample.encoded())
    bytes.set(value, at: offset)
    bytes.seal(at: 124)
    #expect(Self.code(bytes) == .corrupt, "\(what)")
  }
}
