/// The payloads of changes.
///
/// Put and update share one layout; an update has no row and sets only the flagged fields:
///
/// ```
/// offset  size
///      0     2  part
///      2     2  flags: 1 sets timestamp, 2 sets labels, 4 sets metadata, 8 has metadata,
///               16 sets text, 32 has text, 64 has a revision (a put only)
///      4     2  byte count of the key
///      6     2  number of labels
///      8     8  timestamp in milliseconds since 1970, or the smallest Int64 for none
///     16     4  byte count of all labels with their lengths
///     20     4  byte count of the metadata
///     24     4  byte count of the text
///     28     4  byte count of the row: 2 x dimension, or 0 in an update
///     32        revision (8 bytes, if flagged), row, key, labels (each 2 bytes of length, then
///               UTF-8), metadata, text, zeros to a multiple of 8
/// ```
///
/// Remove holds the part (2 bytes), flags (2; 1 = all parts), byte count of the key (2), zero (2),
/// the key, and zeros to a multiple of 8. Remove-all holds nothing.
enum JournalPayload {
  static let detailsByteCount = 32

  struct Flags: OptionSet {
    var rawValue: UInt16
    static let setsTimestamp = Flags(rawValue: 1)
    static let setsLabels = Flags(rawValue: 2)
    static let setsMetadata = Flags(rawValue: 4)
    static let hasMetadata = Flags(rawValue: 8)
    static let setsText = Flags(rawValue: 16)
    static let hasText = Flags(rawValue: 32)
    static let hasRevision = Flags(rawValue: 64)
    static let all: Flags = [
      .setsTimestamp, .setsLabels, .setsMetadata, .hasMetadata, .setsText, .hasText, .hasRevision,
    ]
    static let put: Flags = [.setsTimestamp, .setsLabels, .setsMetadata, .setsText]
  }

  static func encode(_ details: RecordDetails, row: RawSpan, into writer: ByteWriter) {
    var flags = Flags.put
    if details.metadata != nil { flags.insert(.hasMetadata) }
    if details.text != nil { flags.insert(.hasText) }
    if details.revision != RecordDetails.noRevision { flags.insert(.hasRevision) }
    encode(details, flags, row: row, into: writer)
  }

  static func encode(_ update: DetailsUpdate, into writer: ByteWriter) {
    var flags: Flags = []
    if update.timestamp != nil { flags.insert(.setsTimestamp) }
    if update.labels != nil { flags.insert(.setsLabels) }
    if let metadata = update.metadata {
      flags.insert(metadata == nil ? .setsMetadata : [.setsMetadata, .hasMetadata])
    }
    if let text = update.text {
      flags.insert(text == nil ? .setsText : [.setsText, .hasText])
    }
    let details = update.applied(to: RecordDetails(key: update.key, part: update.part))
    encode(details, flags, row: RawSpan(), into: writer)
  }

  private static func encode(
    _ details: RecordDetails, _ flags: Flags, row: RawSpan, into writer: ByteWriter
  ) {
    let start = writer.count
    let labelsByteCount = details.labels.reduce(0) { $0 + 2 + $1.utf8.count }
    writer.append(details.part)
    writer.append(flags.rawValue)
    writer.append(UInt16(truncatingIfNeeded: details.key.utf8.count))
    writer.append(UInt16(truncatingIfNeeded: details.labels.count))
    writer.append(details.timestamp)
    writer.append(UInt32(truncatingIfNeeded: labelsByteCount))
    writer.append(UInt32(truncatingIfNeeded: details.metadata?.count ?? 0))
    writer.append(UInt32(truncatingIfNeeded: details.text?.utf8.count ?? 0))
    writer.append(UInt32(truncatingIfNeeded: row.byteCount))
    if flags.contains(.hasRevision) { writer.append(details.revision) }
    writer.append(row)
    writer.append(utf8: details.key)
    for label in details.labels {
      writer.append(UInt16(truncatingIfNeeded: label.utf8.count))
      writer.append(utf8: label)
    }
    if let metadata = details.metadata { writer.append(metadata) }
    if let text = details.text { writer.append(utf8: text) }
    writer.appendZeros((8 - (writer.count - start) % 8) % 8)
  }

  static func encodeRemove(key: String, part: UInt16?, into writer: ByteWriter) {
    let start = writer.count
    writer.append(part ?? 0)
    writer.append(UInt16(part == nil ? 1 : 0))
    writer.append(UInt16(truncatingIfNeeded: key.utf8.count))
    writer.append(UInt16(0))
    writer.append(utf8: key)
    writer.appendZeros((8 - (writer.count - start) % 8) % 8)
  }

  /// The change in a payload, and the range of its row within it; nil when the bytes are not
  /// such a payload.
  static func decode(
    _ payload: RawSpan, kind: JournalEntryHeader.Kind, dimension: Int
  ) -> (change: Change, row: Range<Int>)? {
    switch kind {
    case .put, .update:
      guard let (update, row, revision) = decodeDetails(payload) else { return nil }
      if kind == .update {
        return row.isEmpty && revision == nil ? (.update(update), row) : nil
      }
      guard row.count == 2 * dimension, isFinite(payload, row), let timestamp = update.timestamp,
        let labels = update.labels, let metadata = update.metadata, let text = update.text
      else { return nil }
      return (
        .put(
          RecordDetails(
            key: update.key, part: update.part, timestamp: timestamp, labels: labels,
            metadata: metadata, text: text, revision: revision ?? RecordDetails.noRevision)), row
      )
    case .remove:
      guard let part = payload.integer(at: 0, as: UInt16.self),
        let flags = payload.integer(at: 2, as: UInt16.self), flags <= 1,
        let keyByteCount = payload.length(at: 4, as: UInt16.self), keyByteCount > 0,
        let key = payload.string(at: 8, count: keyByteCount),
        endsInPadding(payload, from: 8 + keyByteCount)
      else { return nil }
      return (.remove(key: key, part: flags == 1 ? nil : part), 0..<0)
    case .removeAll:
      return payload.byteCount == 0 ? (.removeAll, 0..<0) : nil
    case .commit:
      return nil
    }
  }

  /// The details in a payload, the range of its row, and the revision if it has one.
  private static func decodeDetails(
    _ payload: RawSpan
  ) -> (DetailsUpdate, row: Range<Int>, revision: UInt64?)? {
    guard let part = payload.integer(at: 0, as: UInt16.self),
      let flags = payload.integer(at: 2, as: UInt16.self).map(Flags.init(rawValue:)),
      flags.isSubset(of: .all),
      let keyByteCount = payload.length(at: 4, as: UInt16.self), keyByteCount > 0,
      let labelCount = payload.length(at: 6, as: UInt16.self),
      let timestamp = payload.integer(at: 8, as: Int64.self),
      let labelsByteCount = payload.length(at: 16, as: UInt32.self),
      let metadataByteCount = payload.length(at: 20, as: UInt32.self),
      let textByteCount = payload.length(at: 24, as: UInt32.self),
      let rowByteCount = payload.length(at: 28, as: UInt32.self)
    else { return nil }
    var revision: UInt64?
    var rowStart = detailsByteCount
    if flags.contains(.hasRevision) {
      revision = payload.integer(at: rowStart, as: UInt64.self)
      guard let revision, revision != RecordDetails.noRevision else { return nil }
      rowStart += 8
    }
    let row = rowStart..<rowStart + rowByteCount
    let labelsStart = row.upperBound + keyByteCount
    let metadataStart = labelsStart + labelsByteCount
    let textStart = metadataStart + metadataByteCount
    guard endsInPadding(payload, from: textStart + textByteCount),
      let key = payload.string(at: row.upperBound, count: keyByteCount),
      let labels = decodeLabels(payload, labelsStart..<metadataStart, count: labelCount),
      let metadata = payload.array(at: metadataStart, count: metadataByteCount),
      let text = payload.string(at: textStart, count: textByteCount)
    else { return nil }
    var update = DetailsUpdate(key: key, part: part)
    if flags.contains(.setsTimestamp) { update.timestamp = timestamp }
    if flags.contains(.setsLabels) { update.labels = labels }
    if flags.contains(.setsMetadata) {
      update.metadata = .some(flags.contains(.hasMetadata) ? metadata : nil)
    }
    if flags.contains(.setsText) { update.text = .some(flags.contains(.hasText) ? text : nil) }
    return (update, row, revision)
  }

  /// Whether no component of a row is infinite or not a number: all exponent bits set.
  ///
  /// Four components at a time: one added to such an exponent carries into the sign, which was
  /// cleared.
  private static func isFinite(_ payload: RawSpan, _ row: Range<Int>) -> Bool {
    var carries: UInt64 = 0
    var offset = row.lowerBound
    while offset < row.upperBound {
      let isWhole = offset + 8 <= row.upperBound
      let components =
        isWhole
        ? payload.integer(at: offset, as: UInt64.self)
        : payload.integer(at: offset, as: UInt16.self).map(UInt64.init)
      guard let components else { return false }
      carries |= (components & 0x7c00_7c00_7c00_7c00) + 0x0400_0400_0400_0400
      offset += isWhole ? 8 : 2
    }
    return carries & 0x8000_8000_8000_8000 == 0
  }

  private static func decodeLabels(
    _ payload: RawSpan, _ range: Range<Int>, count: Int
  ) -> [String]? {
    var labels: [String] = []
    var offset = range.lowerBound
    for _ in 0..<count {
      guard let byteCount = payload.length(at: offset, as: UInt16.self),
        offset + 2 + byteCount <= range.upperBound,
        let label = payload.string(at: offset + 2, count: byteCount)
      else { return nil }
      labels.append(label)
      offset += 2 + byteCount
    }
    return offset == range.upperBound ? labels : nil
  }

  /// Whether nothing but zeros, up to the next multiple of 8, follows `end`.
  private static func endsInPadding(_ payload: RawSpan, from end: Int) -> Bool {
    end <= payload.byteCount && payload.byteCount - end < 8
      && payload.isZero(at: end, count: payload.byteCount - end)
  }
}
