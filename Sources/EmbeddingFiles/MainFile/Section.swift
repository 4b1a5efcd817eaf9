/// The kinds of section in a main file. Numbers are part of the format.
package enum SectionKind: UInt32, CaseIterable, Sendable {
  /// Float16 rows, `stride` bytes each; begins at a multiple of 16 KiB.
  case rows = 1
  /// Int64 per row: milliseconds since 1970, or the smallest value for none.
  case timestamps = 2
  /// UInt64 per row.
  case changeNumbers = 3
  /// UInt16 per row.
  case parts = 4
  /// UInt64 per row, and one more: where each key begins in `keyBytes`.
  case keyOffsets = 5
  case keyBytes = 6
  /// The slots of `KeyIndex`, 8 bytes each.
  case keyIndex = 7
  /// UInt32 per distinct label, and one more: where each begins in `labelBytes`.
  case labelOffsets = 8
  case labelBytes = 9
  /// UInt32 per row, and one more: where each row's labels begin in `rowLabels`.
  case rowLabelOffsets = 10
  /// UInt32 positions in the label table, ascending within a row.
  case rowLabels = 11
  /// 16 bytes per row: see `DetailLocation`.
  case detailLocations = 12
  /// 16 bytes per block: see `DetailBlock`.
  case detailBlocks = 13
  case detailBytes = 14
  /// UInt64 per row: a fingerprint of the content behind the vector, or 0 for none.
  case revisions = 15
  /// What the compact codes refer to; see `RowCoding`.
  case codeBasis = 32
  /// Compact codes, in chunks of rows.
  case codes = 33

  static let largest = SectionKind.codes

  /// Numbers kept for compact codes and for partitions. A reader that does not know them reads over
  /// them, as over every section that it does not know.
  package static let reservedForCompactCodes: ClosedRange<UInt32> = 32...47
  package static let reservedForPartitions: ClosedRange<UInt32> = 48...63
}

/// Where a section lies: 32 bytes in the header.
///
/// ```
/// offset  size
///      0     4  kind
///      4     4  flags: 1 = a reader that does not know the kind must refuse the file
///      8     8  offset in the file, a multiple of 64
///     16     8  byte count
///     24     8  number of items
/// ```
package struct Section: Equatable, Sendable {
  static let encodedByteCount = 32
  static let isRequired: UInt32 = 1

  package var kind: UInt32
  package var flags: UInt32 = 0
  package var offset: UInt64
  package var byteCount: UInt64
  package var itemCount: UInt64

  package init(kind: UInt32, offset: UInt64, byteCount: UInt64, itemCount: UInt64) {
    self.kind = kind
    self.offset = offset
    self.byteCount = byteCount
    self.itemCount = itemCount
  }

  init?(_ bytes: RawSpan, at position: Int) {
    guard let kind = bytes.integer(at: position, as: UInt32.self),
      let flags = bytes.integer(at: position + 4, as: UInt32.self),
      let offset = bytes.integer(at: position + 8, as: UInt64.self),
      let byteCount = bytes.integer(at: position + 16, as: UInt64.self),
      let itemCount = bytes.integer(at: position + 24, as: UInt64.self)
    else { return nil }
    self.kind = kind
    self.flags = flags
    self.offset = offset
    self.byteCount = byteCount
    self.itemCount = itemCount
  }

  func encode(into writer: ByteWriter) {
    writer.append(kind)
    writer.append(flags)
    writer.append(offset)
    writer.append(byteCount)
    writer.append(itemCount)
  }
}
