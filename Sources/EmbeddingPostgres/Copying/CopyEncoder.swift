internal import EmbeddingStores
internal import Foundation

/// Rows in PostgreSQL's binary copy format.
///
/// ```
/// header   11 bytes "PGCOPY\n\377\r\n\0", int32 flags = 0, int32 extension = 0
/// row      int16 number of fields, and for each: int32 byte count (-1 for NULL), bytes
/// trailer  int16 -1
/// ```
///
/// All numbers are big-endian. `bytes` is given away and emptied as often as the caller likes.
struct CopyEncoder {
  /// The columns of a row, in order.
  static let columns =
    "owner, key, part, \"timestamp\", labels, text, words, metadata, embedding, content_revision, "
    + "device, change"
  private static let fieldCount: Int16 = 12

  private(set) var bytes: [UInt8] = []
  private let owner: String
  private let vectorType: PostgresSchema.VectorType
  private let device: Int32

  init(owner: String, vectorType: PostgresSchema.VectorType, device: Int32) {
    self.owner = owner
    self.vectorType = vectorType
    self.device = device
  }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  mutating func appendHeader() {
    bytes += Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0x00]
    bytes.append(bigEndian: Int32(0))
    bytes.append(bigEndian: Int32(0))
  }

  mutating func appendTrailer() {
    bytes.append(bigEndian: Int16(-1))
  }

  /// Nothing is appended when it throws.
  ///
  /// - Throws: `.containsNUL`, `.limitExceeded` or `.invalidArgument` for what PostgreSQL can not hold.
  mutating func append(_ stored: StoredRecord, change: Int64) throws(PostgresError) {
    let start = bytes.count
    do throws(PostgresError) {
      try appendFields(stored, change: change)
    } catch {
      bytes.removeSubrange(start...)
      throw error
    }
  }

  private mutating func appendFields(
    _ stored: StoredRecord, change: Int64
  ) throws(PostgresError) {
    let record = stored.record
    try record.checkForPostgres()
    let labels = record.labels.map(LabelForm.stored).sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    bytes.append(bigEndian: Self.fieldCount)
    try append(owner)
    try append(record.key)
    append(Int32(record.part))
    if let timestamp = record.timestamp {
      append(try PostgresTime(timestamp, key: record.key).microseconds)
    } else {
      appendNull()
    }
    try bytes.appendField { (bytes) throws(PostgresError) in try bytes.append(textArray: labels) }
    if let text = record.text { try append(text) } else { appendNull() }
    let words = WordVector(text: record.text, labels: labels)
    try bytes.appendField { (bytes) throws(PostgresError) in bytes += words.bytes }
    if let metadata = record.metadata {
      try bytes.appendField { (bytes) throws(PostgresError) in bytes += metadata }
    } else {
      appendNull()
    }
    try append(stored)
    if let revision = record.revision {
      append(Int64(bitPattern: revision.rawValue))
    } else {
      appendNull()
    }
    append(device)
    append(change)
  }

  private mutating func append(_ stored: StoredRecord) throws(PostgresError) {
    let count = stored.row.count / 2
    guard let dimension = Int16(exactly: count) else {
      throw PostgresError(.limitExceeded, "A vector of \(count) components is too long.")
    }
    try bytes.appendField { (bytes) throws(PostgresError) in
      bytes.append(bigEndian: dimension)
      bytes.append(bigEndian: Int16(0))
      switch vectorType {
      case .halfvec:
        let start = bytes.count
        bytes += stored.row
        // Two bytes change places.
        for place in stride(from: start, to: start + 2 * count, by: 2) {
          bytes.swapAt(place, place + 1)
        }
      case .vector:
        for component in stored.record.vector { bytes.append(bigEndian: component.bitPattern) }
      }
    }
  }
}

// MARK: - Fields

extension CopyEncoder {
  private mutating func appendNull() {
    bytes.append(bigEndian: Int32(-1))
  }

  private mutating func append<Number: FixedWidthInteger>(_ value: Number) {
    bytes.append(bigEndian: Int32(Number.bitWidth / 8))
    bytes.append(bigEndian: value)
  }

  private mutating func append(_ text: String) throws(PostgresError) {
    bytes.append(bigEndian: try Int32(checked: text.utf8.count))
    bytes += text.utf8
  }
}
