import Synchronization

extension StoreFiles {
  /// Reads and checks manifest, main file and journal anew from the files; answers bytes read and
  /// what is wrong.
  package func verify() throws(StorageError) -> (byteCount: Int, problems: [StorageError]) {
    try checkProcess()
    let generation = try writer.withLock { (writer) throws(StorageError) -> OpenGeneration in
      guard !writer.isClosed else { throw closed }
      return writer.generation
    }
    var problems: [StorageError] = []
    func collect(_ check: () throws(StorageError) -> [StorageError]) {
      do throws(StorageError) {
        problems += try check()
      } catch {
        problems.append(error)
      }
    }
    collect { () throws(StorageError) in
      _ = try directory.readManifest()
      return []
    }
    collect { () throws(StorageError) in try problemsOfMainFile(generation) }
    collect { () throws(StorageError) in
      try generation.checkJournalHeaderAgain()
      let start = JournalPosition(after: generation.journalHeader)
      _ = try generation.checkedJournalBytes(from: start)
      return []
    }
    let byteCount =
      generation.contents.main.bytes.byteCount + Int(clamping: generation.position.offset)
    return (byteCount, problems)
  }

  /// Opens the main file once more, so that what is in the file is checked and not a copy of it.
  private func problemsOfMainFile(
    _ generation: OpenGeneration
  ) throws(StorageError) -> [StorageError] {
    let open = generation.contents.main
    do throws(StorageError) {
      return try MainFile(directory.fileSystem, path: open.path, mode: options.mapMode).problems()
    } catch  where error.code == .notFound {
      // Another process compacted the store; what is open here is still there to be checked.
      return open.problems()
    }
  }

  package var isBusyCompacting: Bool {
    isCompacting.load(ordering: .acquiring)
  }

  /// Ends a compaction under way, waits for a write under way, and puts everything on the medium.
  package func prepareForSuspension() throws(StorageError) {
    suspensionCount.add(1, ordering: .releasing)
    defer { suspensionCount.subtract(1, ordering: .releasing) }
    while isBusyCompacting || backupCount.load(ordering: .acquiring) > 0 {
      SystemCall.sleep(.milliseconds(1))
    }
    try synchronize()
  }
}

extension OpenGeneration {
  fileprivate func checkJournalHeaderAgain() throws(StorageError) {
    let bytes = try journal.read(at: 0, byteCount: JournalHeader.byteCount)
    try bytes.withRawSpan { (span) throws(StorageError) in
      _ = try JournalHeader(span, path: journal.path)
    }
  }

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
