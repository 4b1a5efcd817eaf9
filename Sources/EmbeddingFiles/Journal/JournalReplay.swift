/// Reads commits from a journal's bytes and tells an unfinished end from damage.
struct JournalReplay {
  /// One entry of a commit.
  struct Entry {
    var change: Change
    var sequence: UInt64
    /// Where its row lies in the bytes given to `run`; empty when it has none.
    var row: Range<Int>
  }

  struct Outcome: Equatable {
    /// Behind the last whole commit.
    var position: JournalPosition
    var commitCount = 0
    var entryCount = 0
    /// Bytes behind the last whole commit: an append that did not finish, or is under way.
    var tornTailByteCount: UInt64 = 0
  }

  let path: String
  let seed: UInt32
  let dimension: Int
  /// An offset that is known from elsewhere (the manifest) to be on the medium.
  let knownSyncedThrough: UInt64
  /// Keep what precedes damage instead of throwing.
  let salvagesPrefix: Bool

  /// Applies every whole commit in `bytes`, which begin at `position` in the file.
  ///
  /// Throws `.journalCorrupt` when entries that were on the medium no longer check.
  func run(
    _ bytes: RawSpan, from position: JournalPosition,
    apply: ([Entry], RawSpan) throws(StorageError) -> Void
  ) throws(StorageError) -> Outcome {
    var outcome = Outcome(position: position)
    var reached = position
    var pending: [Entry] = []
    var offset = 0
    while let header = validEntry(bytes, at: offset, after: reached, start: position.offset) {
      let payloadStart = offset + JournalEntryHeader.byteCount
      let payload = bytes.extracting(payloadStart..<payloadStart + header.payloadByteCount)
      reached.offset += UInt64(header.entryByteCount)
      reached.previousChecksum = header.checksum
      reached.nextSequence += 1
      guard let kind = header.kind else { throw unknown(at: position.offset + UInt64(offset)) }
      if kind == .commit {
        guard let commit = JournalCommit(payload), commit.entryCount == pending.count else {
          if salvagesPrefix { break }
          throw unreadable(at: reached.offset)
        }
        try apply(pending, bytes)
        reached.syncedThrough = max(reached.syncedThrough, commit.syncedThrough)
        outcome.position = reached
        outcome.commitCount += 1
        outcome.entryCount += pending.count
        pending.removeAll(keepingCapacity: true)
      } else {
        guard
          let (change, row) = JournalPayload.decode(
            payload, kind: kind, dimension: dimension)
        else {
          if salvagesPrefix { break }
          throw unreadable(at: reached.offset)
        }
        pending.append(
          Entry(
            change: change, sequence: header.sequence,
            row: row.lowerBound + payloadStart..<row.upperBound + payloadStart))
      }
      offset += header.entryByteCount
    }
    if Sabotage.skips(.commitEntry) {
      try apply(pending, bytes)
      outcome.position = reached
    }
    let end = Int(outcome.position.offset - position.offset)
    outcome.tornTailByteCount = UInt64(bytes.byteCount - end)
    try checkNothingLost(bytes, validThrough: reached.offset, start: position.offset, outcome)
    return outcome
  }

  private func validEntry(
    _ bytes: RawSpan, at offset: Int, after position: JournalPosition, start: UInt64
  ) -> JournalEntryHeader? {
    guard let header = checkedEntry(bytes, at: offset, start: start),
      header.sequence == position.nextSequence,
      header.previousChecksum == position.previousChecksum
    else { return nil }
    return header
  }

  /// An entry whose own checksum holds, whatever comes before it.
  private func checkedEntry(
    _ bytes: RawSpan, at offset: Int, start: UInt64
  ) -> JournalEntryHeader? {
    guard let header = JournalEntryHeader(bytes, at: offset),
      bytes.contains(offset + JournalEntryHeader.byteCount, header.payloadByteCount),
      header.sequence < .max,
      JournalEntryHeader.checksum(
        bytes, at: offset, payloadByteCount: header.payloadByteCount,
        fileOffset: start + UInt64(offset), seed: seed) == header.checksum
        || Sabotage.skips(.journalChecksum)
    else { return nil }
    return header
  }

  /// Throws when something says that bytes behind the last valid entry were on the medium: the
  /// manifest, or a valid commit further on. Only commits are looked for, which are short, so the
  /// search takes time in proportion to the bytes.
  private func checkNothingLost(
    _ bytes: RawSpan, validThrough: UInt64, start: UInt64, _ outcome: Outcome
  ) throws(StorageError) {
    if salvagesPrefix || Sabotage.skips(.lossCheck) { return }
    var syncedThrough = max(knownSyncedThrough, outcome.position.syncedThrough)
    let commitByteCount = JournalEntryHeader.byteCount + JournalCommit.byteCount
    var offset = Int(validThrough - start)
    while syncedThrough <= validThrough, offset + commitByteCount <= bytes.byteCount {
      if let header = JournalEntryHeader(bytes, at: offset), header.kind == .commit,
        header.payloadByteCount == JournalCommit.byteCount,
        checkedEntry(bytes, at: offset, start: start) != nil
      {
        let payloadStart = offset + JournalEntryHeader.byteCount
        let payload = bytes.extracting(payloadStart..<payloadStart + JournalCommit.byteCount)
        syncedThrough = max(syncedThrough, JournalCommit(payload)?.syncedThrough ?? 0)
      }
      offset += JournalEntryHeader.alignment
    }
    guard syncedThrough <= validThrough else {
      throw StorageError(
        .journalCorrupt, path: path,
        "The journal is damaged at byte \(validThrough), though it was on the medium through "
          + "byte \(syncedThrough). Restore a backup, or open with recovery set to salvage to "
          + "keep the \(outcome.commitCount) commits before the damage.")
    }
  }

  private func unknown(at offset: UInt64) -> StorageError {
    StorageError(
      .unsupportedFormat, path: path,
      "The journal holds an entry at byte \(offset) of a type that this library does not know. "
        + "Update the library.")
  }

  private func unreadable(at offset: UInt64) -> StorageError {
    StorageError(
      .journalCorrupt, path: path,
      "The journal holds an entry that ends at byte \(offset) and does not follow the format "
        + "though its checksum holds. Restore a backup.")
  }
}
