import Synchronization

extension StoreFiles {
  /// Reads and checks the main file and the journal; answers bytes read and what is wrong.
  package func verify() throws(StorageError) -> (byteCount: Int, problems: [StorageError]) {
    try checkProcess()
    let generation = try writer.withLock { (writer) throws(StorageError) -> OpenGeneration in
      guard !writer.isClosed else { throw closed }
      return writer.generation
    }
    var problems = generation.contents.main.problems()
    do throws(StorageError) {
      _ = try generation.checkedJournalBytes(
        from: JournalPosition(after: generation.journalHeader))
    } catch {
      problems.append(error)
    }
    let byteCount =
      generation.contents.main.bytes.byteCount + Int(clamping: generation.position.offset)
    return (byteCount, problems)
  }

  package var isBusyCompacting: Bool {
    isCompacting.load(ordering: .acquiring)
  }

  /// Ends a compaction under way, waits for a write under way, and puts everything on the medium.
  package func prepareForSuspension() throws(StorageError) {
    isSuspending.store(true, ordering: .releasing)
    defer { isSuspending.store(false, ordering: .releasing) }
    while isBusyCompacting {
      SystemCall.sleep(.milliseconds(1))
    }
    try synchronize()
  }
}

extension OpenGeneration {
  /// The bytes of the journal's commits from `start` on, read from the file and checked again.
  func checkedJournalBytes(from start: JournalPosition) throws(StorageError) -> [UInt8] {
    let bytes = try journal.read(
      at: start.offset, byteCount: Int(clamping: position.offset - start.offset))
    let replay = JournalReplay(
      path: journal.path, seed: journalHeader.checksumSeed, dimension: contents.space.dimension,
      knownSyncedThrough: 0, salvagesPrefix: true)
    let reached = try bytes.withRawSpan { (span) throws(StorageError) in
      try replay.run(span, from: start) { (_, _) throws(StorageError) in }
    }.position
    guard reached.offset == position.offset,
      reached.previousChecksum == position.previousChecksum
    else {
      throw StorageError(
        .journalCorrupt, path: journal.path,
        "The journal was damaged at byte \(reached.offset) while it was open. What is open is "
          + "intact in memory: back it up now.")
    }
    return bytes
  }
}
