/// Frames changes as the entries that continue a journal at a position.
package struct JournalEncoder {
  package let writer: ByteWriter
  /// Behind the last entry framed.
  private(set) var position: JournalPosition
  private let start: UInt64
  private let seed: UInt32
  private var entryCount = 0

  /// Frames into `writer`, whose storage is used again and whose bytes are forgotten.
  package init(at position: JournalPosition, seed: UInt32, reusing writer: ByteWriter) {
    self.position = position
    self.seed = seed
    start = position.offset
    self.writer = writer
    writer.removeAll()
  }

  /// Frames one change; `row` is the Float16 components of a put, without padding.
  mutating func append(_ change: Change, row: RawSpan) {
    switch change {
    case .put(let details):
      frame(.put) { JournalPayload.encode(details, row: row, into: $0) }
    case .update(let update):
      frame(.update) { JournalPayload.encode(update, into: $0) }
    case .remove(let key, let part):
      frame(.remove) { JournalPayload.encodeRemove(key: key, part: part, into: $0) }
    case .removeAll:
      frame(.removeAll) { _ in }
    }
    entryCount += 1
  }

  /// Frames an entry of another journal again, as it was, for this one.
  package mutating func append(_ kind: JournalEntryHeader.Kind, payload: RawSpan) {
    if kind == .commit, let commit = JournalCommit(payload) {
      // Offsets of the other journal mean nothing here.
      frame(.commit) {
        JournalCommit(entryCount: commit.entryCount, syncedThrough: 0).encode(into: $0)
      }
    } else {
      frame(kind) { $0.append(payload) }
    }
  }

  /// Ends the commit.
  mutating func appendCommit() {
    let commit = JournalCommit(entryCount: entryCount, syncedThrough: position.syncedThrough)
    frame(.commit) { commit.encode(into: $0) }
    entryCount = 0
  }

  private mutating func frame(
    _ kind: JournalEntryHeader.Kind, _ encodePayload: (ByteWriter) -> Void
  ) {
    let entry = writer.count
    writer.append(JournalEntryHeader.magic)
    writer.append(UInt16(kind.rawValue))
    writer.append(UInt32(0))
    writer.append(position.nextSequence)
    writer.append(position.previousChecksum)
    writer.append(UInt32(0))
    encodePayload(writer)
    let payloadByteCount = writer.count - entry - JournalEntryHeader.byteCount
    writer.overwrite(UInt32(truncatingIfNeeded: payloadByteCount), at: entry + 4)
    let fileOffset = start + UInt64(entry)
    let checksum = writer.withRawSpan {
      JournalEntryHeader.checksum(
        $0, at: entry, payloadByteCount: payloadByteCount, fileOffset: fileOffset, seed: seed)
    }
    writer.overwrite(checksum, at: entry + 20)
    position.offset = start + UInt64(writer.count)
    position.previousChecksum = checksum
    position.nextSequence += 1
  }
}
