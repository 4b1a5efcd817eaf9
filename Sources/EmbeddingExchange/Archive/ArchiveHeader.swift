internal import EmbeddingFiles
internal import EmbeddingStores

/// The first bytes of an archive.
///
/// ```
/// offset  size
///      0     8  magic
///      8     4  format version
///     12     4  number of files
///     16     8  bytes of all files, before compression
///     24    16  random number of this archive
///     40    20  zero
///     60     4  masked CRC32C of bytes 0..<60
/// ```
struct ArchiveHeader {
  static let byteCount = 64
  static let magic: UInt64 = 0x0a1a_0a0d_4153_4589  // 89 "ESA" CR LF ^Z LF
  static let version: UInt32 = 1

  var fileCount: Int
  var contentByteCount: Int
  /// Where the chain of checksums begins.
  private(set) var checksum: UInt32 = 0

  init(fileCount: Int, contentByteCount: Int) {
    self.fileCount = fileCount
    self.contentByteCount = contentByteCount
  }

  /// The header's bytes, with a new random number, and the checksum that the first frame goes on from.
  mutating func encoded() -> [UInt8] {
    let writer = ByteWriter(capacity: Self.byteCount)
    writer.append(Self.magic)
    writer.append(Self.version)
    writer.append(UInt32(truncatingIfNeeded: fileCount))
    writer.append(UInt64(contentByteCount))
    writer.append(UInt64.random(in: .min ... .max))
    writer.append(UInt64.random(in: .min ... .max))
    writer.appendZeros(20)
    checksum = writer.withRawSpan { Checksum.crc32c($0) }
    writer.append(Checksum.masked(checksum))
    return writer.bytes
  }

  init(_ bytes: RawSpan, path: String) throws(StoreError) {
    guard bytes.integer(at: 0, as: UInt64.self) == Self.magic else {
      throw StoreError(
        .malformedFile, "The file is no archive of an embedding store. Check the path.", path: path)
    }
    guard let version = bytes.integer(at: 8, as: UInt32.self),
      let fileCount = bytes.integer(at: 12, as: UInt32.self),
      let contentByteCount = bytes.integer(at: 16, as: UInt64.self),
      let stored = bytes.integer(at: 60, as: UInt32.self)
    else { throw ArchiveReader.damaged("it was cut short", path) }
    guard version <= Self.version else {
      throw StoreError(
        .unsupportedFormat,
        "The archive has format version \(version), and version 1 is read. Update the library.",
        path: path)
    }
    checksum = Checksum.crc32c(bytes.extracting(0..<60))
    guard Checksum.masked(checksum) == stored, version == Self.version,
      let contentByteCount = Int(exactly: contentByteCount)
    else { throw ArchiveReader.damaged("its header was changed", path) }
    self.fileCount = Int(fileCount)
    self.contentByteCount = contentByteCount
  }
}
