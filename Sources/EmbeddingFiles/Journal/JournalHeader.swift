/// The first 128 bytes of a journal.
///
/// ```
/// offset  size
///      0     8  magic
///      8     4  format version
///     12     4  byte count of this header, 128
///     16    16  store identifier
///     32     8  generation of this journal
///     40     8  generation of the main file it continues
///     48     4  checksum of that main file's header
///     52     4  dimension
///     56     8  salt: random, so that stale blocks of other journals never look valid
///     64     8  sequence number of the first entry
///     72    52  zero
///    124     4  masked CRC32C of bytes 0..<124
/// ```
package struct JournalHeader: Equatable, Sendable {
  package static let byteCount = 128
  static let magic: UInt64 = 0x0a1a_0a0d_4a53_4589  // 89 "ESJ" CR LF ^Z LF

  package var identifier: StoreIdentifier
  package var generation: UInt64
  package var mainGeneration: UInt64
  package var mainHeaderChecksum: UInt32
  package var dimension: Int
  package var salt: UInt64
  package var firstSequence: UInt64
  /// The masked checksum that closes the header, as it stands in the file; the first entry chains
  /// from it.
  package private(set) var checksum: UInt32 = 0

  package func encoded() -> [UInt8] {
    let writer = ByteWriter(capacity: Self.byteCount)
    writer.append(Self.magic)
    writer.append(FormatVersion.current)
    writer.append(UInt32(Self.byteCount))
    identifier.encode(into: writer)
    writer.append(generation)
    writer.append(mainGeneration)
    writer.append(mainHeaderChecksum)
    writer.append(UInt32(truncatingIfNeeded: dimension))
    writer.append(salt)
    writer.append(firstSequence)
    writer.appendZeros(52)
    writer.append(Checksum.masked(writer.withRawSpan { Checksum.crc32c($0) }))
    return writer.bytes
  }

  /// What every entry's checksum starts from, so that an entry is valid in this journal only.
  package var checksumSeed: UInt32 {
    let writer = ByteWriter()
    identifier.encode(into: writer)
    writer.append(generation)
    writer.append(salt)
    return writer.withRawSpan { Checksum.crc32c($0) }
  }

  package init(_ bytes: RawSpan, path: String) throws(StorageError) {
    guard bytes.byteCount >= Self.byteCount,
      bytes.integer(at: 0, as: UInt64.self) == Self.magic,
      let version = bytes.integer(at: 8, as: UInt32.self)
    else { throw Self.damage(path) }
    try FeatureBits.known.checkReadable(version: version, path: path)
    guard let checksum = bytes.integer(at: 124, as: UInt32.self),
      checksum == Checksum.masked(Checksum.crc32c(bytes.extracting(0..<124))),
      bytes.integer(at: 12, as: UInt32.self) == UInt32(Self.byteCount),
      let identifier = StoreIdentifier(bytes, at: 16),
      let generation = bytes.integer(at: 32, as: UInt64.self),
      let mainGeneration = bytes.integer(at: 40, as: UInt64.self),
      let mainHeaderChecksum = bytes.integer(at: 48, as: UInt32.self),
      let dimension = bytes.integer(at: 52, as: UInt32.self),
      let salt = bytes.integer(at: 56, as: UInt64.self),
      let firstSequence = bytes.integer(at: 64, as: UInt64.self),
      FormatLimits.sequence.contains(firstSequence)
    else { throw Self.damage(path) }
    self.identifier = identifier
    self.generation = generation
    self.mainGeneration = mainGeneration
    self.mainHeaderChecksum = mainHeaderChecksum
    self.dimension = Int(dimension)
    self.salt = salt
    self.firstSequence = firstSequence
    self.checksum = checksum
  }

  package init(
    identifier: StoreIdentifier, generation: UInt64, mainGeneration: UInt64,
    mainHeaderChecksum: UInt32, dimension: Int, salt: UInt64, firstSequence: UInt64
  ) {
    self.identifier = identifier
    self.generation = generation
    self.mainGeneration = mainGeneration
    self.mainHeaderChecksum = mainHeaderChecksum
    self.dimension = dimension
    self.salt = salt
    self.firstSequence = firstSequence
    checksum = encoded().withRawSpan { Checksum.masked(Checksum.crc32c($0.extracting(0..<124))) }
  }

  private static func damage(_ path: String) -> StorageError {
    StorageError(
      .journalCorrupt, path: path,
      "The journal's header is damaged. The compacted rows are intact: open the store with "
        + "recovery set to salvage to keep them.")
  }
}
