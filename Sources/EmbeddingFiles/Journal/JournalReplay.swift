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

  /// What a piece of a journal came to.
  struct Piece {
    var outcome: Outcome
    /// Behind the last valid entry.
    var validThrough: UInt64
    /// How many bytes from the outcome's position on there must be to go on; nil when what
    /// follows is the end or no valid entry.
    var neededByteCount: Int?
  }

  /// Applies every whole commit in `bytes`, which begin at `position` in the file and go to its end.
  ///
  /// Throws `.journalCorrupt` when entries that were on the medium no longer check.
  func run(
    _ bytes: RawSpan, from position: JournalPosition,
    apply: ([Entry], RawSpan) throws(StorageError) -> Void
  ) throws(StorageError) -> Outcome {
    let piece = try runPiece(bytes, from: position, behind: 0, apply: apply)
    var outcome = piece.outcome
    let end = position.offset + UInt64(bytes.byteCount)
    outcome.tornTailByteCount = end - outcome.position.offset
    var syncedThrough = max(knownSyncedThrough, outcome.position.syncedThrough)
    if !salvagesPrefix, syncedThrough <= piece.validThrough {
      let start = Int(piece.validThrough - position.offset)
      let rest = bytes.extracting(start..<bytes.byteCount)
      syncedThrough = max(
        syncedThrough, latestSync(in: rest, at: piece.validThrough, above: piece.validThrough))
    }
    try checkNothingLost(syncedThrough, validThrough: piece.validThrough, outcome)
    return outcome
  }

  /// Applies every whole commit in `bytes`, which begin at `position` and have `behind` bytes of the
  /// file behind them.
  func runPiece(
    _ bytes: RawSpan, from position: JournalPosition, behind: UInt64,
    apply: ([Entry], RawSpan) throws(StorageError) -> Void
  ) throws(StorageError) -> Piece {
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
          if salvagesPrefix { return Piece(outcome: outcome, validThrough: reached.offset) }
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
          if salvagesPrefix { return Piece(outcome: outcome, validThrough: reached.offset) }
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
    return Piece(
      outcome: outcome, validThrough: reached.offset,
      neededByteCount: missingEnd(of: bytes, at: offset, behind: behind).map {
        $0 - Int(outcome.position.offset - position.offset)
      })
  }

  /// Where an entry ends whose beginning is in `bytes` at `offset` and whose end is among the
  /// `behind` bytes that follow them; nil when there is no such entry.
  private func missingEnd(of bytes: RawSpan, at offset: Int, behind: UInt64) -> Int? {
    guard behind > 0 else { return nil }
    guard bytes.contains(offset, JournalEntryHeader.byteCount) else {
      return offset + JournalEntryHeader.byteCount
    }
    guard let header = JournalEntryHeader(bytes, at: offset) else { return nil }
    let end = offset + header.entryByteCount
    guard end > bytes.byteCount, UInt64(end - bytes.byteCount) <= behind else { return nil }
    return end
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

  static let commitByteCount = JournalEntryHeader.byteCount + JournalCommit.byteCount

  /// How far the commits in `bytes` say that the journal was on the medium, whatever comes before
  /// them; stops at the first that says more than `limit`. `bytes` begin at `start` in the file.
  ///
  /// Only commits are looked for, which are short, so this takes time in proportion to the bytes.
  func latestSync(in bytes: RawSpan, at start: UInt64, above limit: UInt64) -> UInt64 {
    var syncedThrough: UInt64 = 0
    var offset = 0
    while syncedThrough <= limit, offset + Self.commitByteCount <= bytes.byteCount {
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
    return syncedThrough
  }

  /// Throws when bytes behind the last valid entry were on the medium.
  func checkNothingLost(
    _ syncedThrough: UInt64, validThrough: UInt64, _ outcome: Outcome
  ) throws(StorageError) {
    guard !salvagesPrefix, syncedThrough > validThrough else { return }
    if Sabotage.skips(.lossCheck) { return }
    throw StorageError(
      .journalCorrupt, path: path,
      "The journal is damaged at byte \(validThrough), though it was on the medium through "
        + "byte \(syncedThrough). Restore a backup, or open with recovery set to salvage to "
        + "keep the \(outcome.commitCount) commits before the damage.")
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
