extension JournalReplay {
  /// How much of a journal is read at a time, unless a commit is longer.
  static let pieceByteCount = 8 << 20

  /// Applies every whole commit of `file` from `position` up to `end`, holding a piece of it in
  /// memory at a time: a file that has grown beyond all reason, as a hole may, costs time only.
  ///
  /// Throws `.journalCorrupt` when entries that were on the medium no longer check.
  func run(
    _ file: any File, from position: JournalPosition, to end: UInt64,
    pieceByteCount: Int = Self.pieceByteCount,
    apply: ([Entry], RawSpan) throws(StorageError) -> Void
  ) throws(StorageError) -> Outcome {
    var total = Outcome(position: position)
    var end = max(end, position.offset)
    var wanted = pieceByteCount
    while true {
      let offset = total.position.offset
      let bytes = try file.read(at: offset, byteCount: min(wanted, Int(clamping: end - offset)))
      // Another process may have cut the file back meanwhile.
      if bytes.count < wanted { end = offset + UInt64(bytes.count) }
      let behind = end - offset - UInt64(bytes.count)
      let piece = try bytes.withRawSpan { (span) throws(StorageError) in
        try runPiece(span, from: total.position, behind: behind, apply: apply)
      }
      total.position = piece.outcome.position
      total.commitCount += piece.outcome.commitCount
      total.entryCount += piece.outcome.entryCount
      guard let needed = piece.neededByteCount else {
        total.tornTailByteCount = end - total.position.offset
        let synced = try latestSync(in: file, piece.validThrough..<end, total, pieceByteCount)
        try checkNothingLost(synced, validThrough: piece.validThrough, total)
        return total
      }
      // A commit of many entries is read again at most once for every doubling.
      let isStuck = piece.outcome.commitCount == 0
      wanted = max(pieceByteCount, needed, isStuck ? bytes.count.multipliedClamping(by: 2) : 0)
    }
  }

  /// How far anything says that the journal was on the medium: the manifest, a commit that was
  /// applied, or a valid one in the rest of the file.
  private func latestSync(
    in file: any File, _ rest: Range<UInt64>, _ outcome: Outcome, _ pieceByteCount: Int
  ) throws(StorageError) -> UInt64 {
    var syncedThrough = max(knownSyncedThrough, outcome.position.syncedThrough)
    guard !salvagesPrefix else { return syncedThrough }
    var offset = rest.lowerBound
    let alignment = JournalEntryHeader.alignment
    let step = max(pieceByteCount / alignment * alignment, alignment)
    while syncedThrough <= rest.lowerBound, offset < rest.upperBound {
      // Pieces overlap by what a commit takes, so that each is whole in one of them.
      let byteCount = min(
        step + Self.commitByteCount - alignment, Int(clamping: rest.upperBound - offset))
      let bytes = try file.read(at: offset, byteCount: byteCount)
      let latest = bytes.withRawSpan { latestSync(in: $0, at: offset, above: rest.lowerBound) }
      syncedThrough = max(syncedThrough, latest)
      offset += UInt64(step)
    }
    return syncedThrough
  }
}

extension Int {
  fileprivate func multipliedClamping(by factor: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: factor)
    return overflow ? .max : product
  }
}
