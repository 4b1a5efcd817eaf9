/// Where a row's metadata and text lie: 16 bytes per row.
///
/// ```
/// offset  size
///      0     4  block
///      4     4  offset in the block, uncompressed
///      8     4  byte count of the metadata, or 2^32 - 1 for none
///     12     4  byte count of the text that follows it, or 2^32 - 1 for none
/// ```
struct DetailLocation: Equatable {
  static let byteCount = 16
  static let none = UInt32.max

  var block: UInt32
  var offset: UInt32
  var metadataByteCount: UInt32
  var textByteCount: UInt32

  var presentMetadataByteCount: UInt32 {
    metadataByteCount == Self.none ? 0 : metadataByteCount
  }
  var presentTextByteCount: UInt32 { textByteCount == Self.none ? 0 : textByteCount }

  init(block: UInt32, offset: UInt32, metadata: [UInt8]?, text: String?) {
    self.block = block
    self.offset = offset
    metadataByteCount = metadata.map { UInt32(truncatingIfNeeded: $0.count) } ?? Self.none
    textByteCount = text.map { UInt32(truncatingIfNeeded: $0.utf8.count) } ?? Self.none
  }

  init?(_ bytes: RawSpan) {
    guard let block = bytes.integer(at: 0, as: UInt32.self),
      let offset = bytes.integer(at: 4, as: UInt32.self),
      let metadataByteCount = bytes.integer(at: 8, as: UInt32.self),
      let textByteCount = bytes.integer(at: 12, as: UInt32.self)
    else { return nil }
    self.block = block
    self.offset = offset
    self.metadataByteCount = metadataByteCount
    self.textByteCount = textByteCount
  }

  func encode(into writer: ByteWriter) {
    writer.append(block)
    writer.append(offset)
    writer.append(metadataByteCount)
    writer.append(textByteCount)
  }
}

/// Where a block of details lies: 16 bytes per block.
///
/// ```
/// offset  size
///      0     8  offset in the section of detail bytes
///      8     4  byte count there: LZ4 block format, or plain when equal to the next
///     12     4  byte count uncompressed
/// ```
struct DetailBlock: Equatable {
  static let byteCount = 16
  /// A block is closed when it reaches this; one record's details are never split.
  static let targetByteCount = 65_536
  static let maximumByteCount =
    targetByteCount + FormatLimits.metadataByteCount + FormatLimits.textByteCount

  var offset: UInt64
  var storedByteCount: UInt32
  var uncompressedByteCount: UInt32

  init(offset: UInt64, storedByteCount: Int, uncompressedByteCount: Int) {
    self.offset = offset
    self.storedByteCount = UInt32(truncatingIfNeeded: storedByteCount)
    self.uncompressedByteCount = UInt32(truncatingIfNeeded: uncompressedByteCount)
  }

  /// Decodes; nil when the sizes are beyond what a block can have.
  init?(_ bytes: RawSpan) {
    guard let offset = bytes.integer(at: 0, as: UInt64.self),
      let storedByteCount = bytes.integer(at: 8, as: UInt32.self),
      let uncompressedByteCount = bytes.integer(at: 12, as: UInt32.self),
      uncompressedByteCount <= Self.maximumByteCount, storedByteCount <= uncompressedByteCount
    else { return nil }
    self.offset = offset
    self.storedByteCount = storedByteCount
    self.uncompressedByteCount = uncompressedByteCount
  }

  func encode(into writer: ByteWriter) {
    writer.append(offset)
    writer.append(storedByteCount)
    writer.append(uncompressedByteCount)
  }
}
