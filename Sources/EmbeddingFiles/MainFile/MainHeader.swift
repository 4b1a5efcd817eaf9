/// The first 16 KiB of a main file.
///
/// ```
/// offset  size
///      0     8  magic
///      8     4  format version
///     12     4  byte count of this header, 16,384
///     16    16  store identifier
///     32     8  generation
///     40    12  feature bits
///     52     4  number of sections
///     56     8  byte count of the file
///     64     8  number of rows
///     72     4  dimension
///     76     4  stride: bytes from one row to the next, 2 x dimension rounded up to 64
///     80     1  element format: 1 = Float16
///     81     1  normalisation: 0 = none, 1 = unit length
///     82     2  key hash: 1 = see KeyHash
///     84     4  byte count of a checksummed block, 65,536
///     88     8  highest sequence number of the changes in this file
///     96     4  Float32: no row is longer (L2) than this
///    100     4  flags: 1 = some row has a part other than 0
///    104     8  offset of the checksum table
///    112     4  number of its entries
///    116     4  masked CRC32C of the table
///    120     2  byte count of the model's name
///    122     2  byte count of the revision
///    124     4  zero
///    128  1024  model, UTF-8, then zeros
///   1152   256  revision, UTF-8, then zeros
///   1408   640  zero
///   2048        sections, 32 bytes each, at most 64, in the order of their offsets
///               zeros
///  16380     4  masked CRC32C of bytes 0..<16380
/// ```
///
/// Sections follow the header with zeros between them; then the checksum table, which is the end
/// of the file: a masked CRC32C for every 64 KiB between header and table (the last is shorter).
package struct MainHeader: Equatable, Sendable {
  package static let byteCount = 16_384
  package static let blockByteCount = 65_536
  static let magic: UInt64 = 0x0a1a_0a0d_4753_4589  // 89 "ESG" CR LF ^Z LF
  static let sectionsOffset = 2_048
  static let maximumSectionCount = 64

  package var identifier: StoreIdentifier
  package var generation: UInt64
  package var features = FeatureBits()
  package var space: SpaceDescription
  package var rowCount: Int
  package var lastSequence: UInt64
  package var maximumRowLength: Float
  package var hasParts: Bool
  package var sections: [Section] = []
  package var fileByteCount: UInt64 = 0
  package var checksumsOffset: UInt64 = 0
  package var checksumCount: Int = 0
  package var checksumsChecksum: UInt32 = 0
  /// The masked checksum that closes the header and that manifest and journal repeat: as it stands
  /// in the file, or 0 before the header is written.
  package var checksum: UInt32 = 0

  package var stride: Int { Self.stride(forDimension: space.dimension) }

  package static func stride(forDimension dimension: Int) -> Int {
    (2 * dimension + 63) / 64 * 64
  }

  package init(
    identifier: StoreIdentifier, generation: UInt64, space: SpaceDescription, rowCount: Int,
    lastSequence: UInt64, maximumRowLength: Float, hasParts: Bool
  ) {
    self.identifier = identifier
    self.generation = generation
    self.space = space
    self.rowCount = rowCount
    self.lastSequence = lastSequence
    self.maximumRowLength = maximumRowLength
    self.hasParts = hasParts
  }

  package func encoded() -> [UInt8] {
    let writer = ByteWriter(capacity: Self.byteCount)
    writer.append(Self.magic)
    writer.append(FormatVersion.current)
    writer.append(UInt32(Self.byteCount))
    identifier.encode(into: writer)
    writer.append(generation)
    features.encode(into: writer)
    writer.append(UInt32(truncatingIfNeeded: sections.count))
    writer.append(fileByteCount)
    writer.append(UInt64(rowCount))
    writer.append(UInt32(truncatingIfNeeded: space.dimension))
    writer.append(UInt32(truncatingIfNeeded: stride))
    writer.append(UInt8(1))
    writer.append(UInt8(space.isNormalized ? 1 : 0))
    writer.append(UInt16(1))
    writer.append(UInt32(Self.blockByteCount))
    writer.append(lastSequence)
    writer.append(maximumRowLength.bitPattern)
    writer.append(UInt32(hasParts ? 1 : 0))
    writer.append(checksumsOffset)
    writer.append(UInt32(truncatingIfNeeded: checksumCount))
    writer.append(checksumsChecksum)
    writer.append(UInt16(truncatingIfNeeded: space.model.utf8.count))
    writer.append(UInt16(truncatingIfNeeded: space.revision.utf8.count))
    writer.append(UInt32(0))
    writer.append(utf8: space.model)
    writer.appendZeros(1_152 - writer.count)
    writer.append(utf8: space.revision)
    writer.appendZeros(Self.sectionsOffset - writer.count)
    for section in sections {
      section.encode(into: writer)
    }
    writer.appendZeros(Self.byteCount - 4 - writer.count)
    writer.append(Self.checksum(of: writer))
    return writer.bytes
  }

  private static func checksum(of writer: ByteWriter) -> UInt32 {
    writer.withRawSpan { Checksum.masked(Checksum.crc32c($0)) }
  }
}
