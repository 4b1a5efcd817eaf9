/// The end of a journal's commits: where the next entry goes and what it continues.
package struct JournalPosition: Equatable, Sendable {
  package var offset: UInt64
  package var previousChecksum: UInt32
  package var nextSequence: UInt64
  /// The offset known to be on the medium.
  package var syncedThrough: UInt64

  /// Behind the header of a journal without entries.
  package init(after header: JournalHeader) {
    offset = UInt64(JournalHeader.byteCount)
    previousChecksum = header.checksum
    nextSequence = header.firstSequence
    syncedThrough = UInt64(JournalHeader.byteCount)
  }
}
