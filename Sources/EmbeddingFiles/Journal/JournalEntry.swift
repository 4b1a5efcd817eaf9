/// The 24 bytes before every journal entry's payload.
///
/// ```
/// offset  size
///      0     2  magic, "EJ"
///      2     1  type: 1 put, 2 update, 3 remove, 4 remove all, 5 commit
///      3     1  zero
///      4     4  byte count of the payload, a multiple of 8
///      8     8  sequence number: one more than the entry before; a record's change number
///     16     4  checksum of the entry before (of the journal's header for the first)
///     20     4  masked CRC32C of (store identifier, journal generation, salt, offset of this
///               entry in the file, bytes 0..<20, payload)
///     24        payload
/// ```
package struct JournalEntryHeader: Equatable, Sendable {
  package static let byteCount = 24
  static let magic: UInt16 = 0x4a45
  /// Entries begin at multiples of this, so that a search for valid entries can step by it.
  static let alignment = 8

  package enum Kind: UInt8, Sendable {
    case put = 1, update, remove, removeAll, commit
  }

  /// Nil for a type that this library does not know.
  package var kind: Kind?
  package var payloadByteCount: Int
  package var sequence: UInt64
  package var previousChecksum: UInt32
  package var checksum: UInt32

  /// Decodes the header at `offset`; nil when it is not one or its payload can not be.
  init?(_ bytes: RawSpan, at offset: Int) {
    guard bytes.integer(at: offset, as: UInt16.self) == Self.magic,
      let type = bytes.integer(at: offset + 2, as: UInt8.self),
      bytes.integer(at: offset + 3, as: UInt8.self) == 0,
      let payloadByteCount = bytes.integer(at: offset + 4, as: UInt32.self),
      payloadByteCount <= Int32.max,
      let sequence = bytes.integer(at: offset + 8, as: UInt64.self),
      let previousChecksum = bytes.integer(at: offset + 16, as: UInt32.self),
      let checksum = bytes.integer(at: offset + 20, as: UInt32.self),
      Int(payloadByteCount) % Self.alignment == 0
    else { return nil }
    kind = Kind(rawValue: type)
    self.payloadByteCount = Int(payloadByteCount)
    self.sequence = sequence
    self.previousChecksum = previousChecksum
    self.checksum = checksum
  }

  var entryByteCount: Int { Self.byteCount + payloadByteCount }

  /// The masked checksum of the entry whose bytes begin at `offset` in `bytes` and at
  /// `fileOffset` in the journal.
  static func checksum(
    _ bytes: RawSpan, at offset: Int, payloadByteCount: Int, fileOffset: UInt64, seed: UInt32
  ) -> UInt32 {
    var checksum = withUnsafeBytes(of: fileOffset.littleEndian) {
      Checksum.crc32c($0.bytes, seed: seed)
    }
    checksum = Checksum.crc32c(bytes.extracting(offset..<offset + 20), seed: checksum)
    let payload = offset + byteCount
    checksum = Checksum.crc32c(
      bytes.extracting(payload..<payload + payloadByteCount), seed: checksum)
    return Checksum.masked(checksum)
  }
}

/// The payload of a commit entry: everything since the commit before is now one whole.
///
/// ```
/// offset  size
///      0     4  entries in this commit, without this one
///      4     4  zero
///      8     8  journal offset known to be on the medium when this entry was written
/// ```
package struct JournalCommit: Equatable, Sendable {
  static let byteCount = 16

  package var entryCount: Int
  package var syncedThrough: UInt64

  init(entryCount: Int, syncedThrough: UInt64) {
    self.entryCount = entryCount
    self.syncedThrough = syncedThrough
  }

  init?(_ payload: RawSpan) {
    guard payload.byteCount == Self.byteCount,
      let entryCount = payload.integer(at: 0, as: UInt32.self).flatMap(Int.init(exactly:)),
      payload.integer(at: 4, as: UInt32.self) == 0,
      let syncedThrough = payload.integer(at: 8, as: UInt64.self)
    else { return nil }
    self.entryCount = entryCount
    self.syncedThrough = syncedThrough
  }

  func encode(into writer: ByteWriter) {
    writer.append(UInt32(truncatingIfNeeded: entryCount))
    writer.append(UInt32(0))
    writer.append(syncedThrough)
  }
}
