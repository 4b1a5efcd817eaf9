/// The file that names the current generation. Replacing it is the commit point of creation,
/// compaction and journal rotation.
///
/// ```
/// offset  size
///      0     8  magic
///      8     4  format version
///     12     4  byte count of this file, 128
///     16    16  store identifier
///     32     8  generation of the main file
///     40     8  generation of the journal
///     48     4  checksum of the main file's header
///     52     4  zero
///     56     8  salt of the journal
///     64     8  journal offset known to be on the medium when this file was written
///     72     8  highest generation number ever used
///     80    12  feature bits
///     92    32  zero
///    124     4  masked CRC32C of bytes 0..<124
/// ```
package struct Manifest: Equatable, Sendable {
  package static let fileName = "MANIFEST"
  package static let byteCount = 128
  static let magic: UInt64 = 0x0a1a_0a0d_4d53_4589  // 89 "ESM" CR LF ^Z LF

  package var identifier: StoreIdentifier
  package var mainGeneration: UInt64
  package var journalGeneration: UInt64
  package var mainHeaderChecksum: UInt32
  package var journalSalt: UInt64
  package var journalSyncedThrough: UInt64
  package var lastGeneration: UInt64
  package var features = FeatureBits()

  package func encoded() -> [UInt8] {
    let writer = ByteWriter(capacity: Self.byteCount)
    writer.append(Self.magic)
    writer.append(FormatVersion.current)
    writer.append(UInt32(Self.byteCount))
    identifier.encode(into: writer)
    writer.append(mainGeneration)
    writer.append(journalGeneration)
    writer.append(mainHeaderChecksum)
    writer.append(UInt32(0))
    writer.append(journalSalt)
    writer.append(journalSyncedThrough)
    writer.append(lastGeneration)
    features.encode(into: writer)
    writer.appendZeros(32)
    writer.append(Checksum.masked(writer.withRawSpan { Checksum.crc32c($0) }))
    return writer.bytes
  }

  /// Decodes and checks the bytes of the file at `path`.
  package init(_ bytes: RawSpan, path: String) throws(StorageError) {
    guard bytes.integer(at: 0, as: UInt64.self) == Self.magic else {
      throw StorageError(
        .notAStore, path: path,
        "The file is not the manifest of an embedding store. Check the path.")
    }
    guard let version = bytes.integer(at: 8, as: UInt32.self),
      let features = FeatureBits(bytes, at: 80)
    else { throw Self.damage(path) }
    // A later version may have another size; say "newer" before saying "damaged".
    guard version == FormatVersion.current else {
      try features.checkReadable(version: version, path: path)
      throw Self.damage(path)
    }
    guard bytes.byteCount == Self.byteCount,
      bytes.integer(at: 124, as: UInt32.self)
        == Checksum.masked(Checksum.crc32c(bytes.extracting(0..<124)))
        || Sabotage.skips(.manifestChecksum),
      bytes.integer(at: 12, as: UInt32.self) == UInt32(Self.byteCount),
      let identifier = StoreIdentifier(bytes, at: 16),
      let mainGeneration = bytes.integer(at: 32, as: UInt64.self),
      let journalGeneration = bytes.integer(at: 40, as: UInt64.self),
      let mainHeaderChecksum = bytes.integer(at: 48, as: UInt32.self),
      let journalSalt = bytes.integer(at: 56, as: UInt64.self),
      let journalSyncedThrough = bytes.integer(at: 64, as: UInt64.self),
      let lastGeneration = bytes.integer(at: 72, as: UInt64.self),
      lastGeneration >= max(mainGeneration, journalGeneration), lastGeneration < 1 << 62
    else { throw Self.damage(path) }
    try features.checkReadable(version: version, path: path)
    self.identifier = identifier
    self.mainGeneration = mainGeneration
    self.journalGeneration = journalGeneration
    self.mainHeaderChecksum = mainHeaderChecksum
    self.journalSalt = journalSalt
    self.journalSyncedThrough = journalSyncedThrough
    self.lastGeneration = lastGeneration
    self.features = features
  }

  package init(
    identifier: StoreIdentifier, mainGeneration: UInt64, journalGeneration: UInt64,
    mainHeaderChecksum: UInt32, journalSalt: UInt64, journalSyncedThrough: UInt64,
    lastGeneration: UInt64
  ) {
    self.identifier = identifier
    self.mainGeneration = mainGeneration
    self.journalGeneration = journalGeneration
    self.mainHeaderChecksum = mainHeaderChecksum
    self.journalSalt = journalSalt
    self.journalSyncedThrough = journalSyncedThrough
    self.lastGeneration = lastGeneration
  }

  private static func damage(_ path: String) -> StorageError {
    StorageError(
      .corrupt, path: path,
      "The manifest is damaged (length or checksum). Restore the store from a backup.")
  }
}
