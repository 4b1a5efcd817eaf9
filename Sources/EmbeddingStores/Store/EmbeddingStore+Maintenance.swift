internal import EmbeddingFiles
internal import EmbeddingKernels
public import Foundation

extension EmbeddingStore {
  /// Takes in what other processes committed or compacted since; true when there was something.
  ///
  /// A writing store does this by itself with each write. Costs reading the new journal entries.
  @discardableResult
  public func refresh() throws(StoreError) -> Bool {
    defer { announceChanges() }
    return try translatingErrors { () throws(StorageError) in try files.refresh() }
  }

  /// Tells listeners what the contents hold now, if they do not know it yet.
  func announceChanges() {
    guard let contents = try? files.contents() else { return }
    changeFeed.announce(Commit(CommitSummary(changeNumber: contents.lastSequence)))
  }

  /// Puts every commit so far on the medium, whatever durability it was made with.
  public func synchronize() throws(StoreError) {
    try translatingErrors { () throws(StorageError) in try files.synchronize() }
    try forEachCompanion { (companion) throws(StoreError) in try companion.synchronize() }
  }

  /// Makes the store ready for the app's suspension: ends a compaction that is under way, puts
  /// every commit on the medium, and returns with no lock held and nothing being written.
  ///
  /// The store works on as before when it is used again. Must not be called from the progress
  /// closure of a compaction, whose end it waits for.
  public func prepareForSuspension() throws(StoreError) {
    try translatingErrors { () throws(StorageError) in try files.prepareForSuspension() }
    try forEachCompanion { (companion) throws(StoreError) in
      try companion.prepareForSuspension()
    }
  }

  /// Puts every commit on the medium, also those of a process that was killed, and ends the use of
  /// this object, also when that fails.
  ///
  /// Snapshots taken before stay readable; every later call on the store throws `.closed`. A store
  /// that is only released instead loses nothing that was acknowledged. Closing twice is harmless.
  ///
  /// - Throws: `.inputOutput` and `.noSpace` from the device; `.previousInputOutputError` when an
  ///   earlier failure left the file in doubt, so that nothing can be put on the medium.
  public func close() throws(StoreError) {
    changeFeed.finish()
    defer { closeCompanions() }
    try translatingErrors { () throws(StorageError) in try files.close() }
  }

  /// Copies the store, compacted, into a new or empty directory, while it is in use.
  ///
  /// The copy holds what a snapshot taken now holds, under an identity of its own. After an error
  /// the directory is as it was. A kill may leave files of an unfinished copy there, which are no
  /// store: delete them.
  ///
  /// Ends early when the calling task is cancelled or the app is being suspended. Reads and writes
  /// every live row.
  ///
  /// - Throws: `.alreadyExists` when the directory holds something; `.noSpace` and `.inputOutput`
  ///   from the device; `.cancelled`.
  public func backup(to directory: URL) throws(StoreError) {
    let path = try directory.storePath()
    try translatingErrors { () throws(StorageError) in
      try files.backUp(to: path, on: isInMemory ? POSIXFileSystem() : files.directory.fileSystem) {
        () throws(StorageError) in
        guard !Task.isCancelled else {
          throw StorageError(.cancelled, "The backup was cancelled.")
        }
      }
    }
  }

  /// What opening found and did.
  public var openReport: OpenReport { OpenReport(files.openSummary) }

  /// Counts and sizes as of now. Visits every row of the journal.
  public func statistics() throws(StoreError) -> StoreStatistics {
    let contents = try translatingErrors { () throws(StorageError) in try files.contents() }
    return StoreStatistics(
      rowCount: contents.liveRowCount, deadRowCount: contents.deadRowCount,
      journalRowCount: contents.journalRowCount, generation: contents.main.header.generation,
      mainFileByteCount: contents.main.bytes.byteCount, journalByteCount: files.journalByteCount,
      privateMemoryByteCount: contents.journal.byteCount
        + contents.live.words.count * 8
        + (contents.main.bytes.isHeap ? contents.main.bytes.byteCount : 0),
      compactCodes: StoreStatistics.CompactCodes(contents.main.codeState),
      compactCodeByteCount: contents.main.codeByteCount,
      kernelLevel: Kernels.current.level.rawValue)
  }

  /// Checks every byte of the store against its checksums, and every reference in it.
  ///
  /// Reads the whole store. Finding damage is a result, not an error.
  public func verify() throws(StoreError) -> VerificationReport {
    let (byteCount, problems) = try translatingErrors { () throws(StorageError) in
      try files.verify()
    }
    return VerificationReport(
      checkedByteCount: byteCount, problems: problems.map { StoreError($0) })
  }
}

/// What opening a store found and did.
public struct OpenReport: Equatable, Sendable {
  /// Whether the store was created.
  public let wasCreated: Bool
  /// Commits read from the journal.
  public let replayedCommitCount: Int
  /// Changes in them.
  public let replayedChangeCount: Int
  /// Bytes of the journal that hold whole commits.
  public let journalByteCount: Int
  /// Bytes behind them that no acknowledged commit accounts for: a write that a kill or a power
  /// failure cut short, or one under way in another process. The next write leaves them behind.
  public let unfinishedByteCount: Int

  init(_ summary: OpenSummary) {
    wasCreated = summary.wasCreated
    replayedCommitCount = summary.replayedCommitCount
    replayedChangeCount = summary.replayedEntryCount
    journalByteCount = Int(clamping: summary.journalByteCount)
    unfinishedByteCount = Int(clamping: summary.tornTailByteCount)
  }
}

/// Counts and sizes of a store.
public struct StoreStatistics: Equatable, Sendable {
  /// Live rows.
  public let rowCount: Int
  /// Rows that were removed or replaced and still take space.
  public let deadRowCount: Int
  /// Rows in the journal, live or dead.
  public let journalRowCount: Int
  /// The number of the main file.
  public let generation: UInt64
  /// Bytes of the main file.
  public let mainFileByteCount: Int
  /// Bytes of the journal.
  public let journalByteCount: Int
  /// Bytes of memory that are this object's own, not a mapping shared with other processes.
  public let privateMemoryByteCount: Int
  /// Whether searches have compact codes to read.
  public let compactCodes: CompactCodes
  /// Bytes of the main file that are compact codes and what they refer to.
  public let compactCodeByteCount: Int
  /// The instruction set that scores rows.
  public let kernelLevel: String

  /// The state of the compact codes of the rows in the main file.
  public enum CompactCodes: Sendable {
    /// There are none: the rows are few, of few dimensions, or were compacted without. Searches read
    /// every row.
    case absent
    /// Searches read them.
    case present
    /// A search found them damaged. Searches read every row and are as exact as before; the next
    /// compaction writes new ones.
    case damaged

    init(_ state: CodeState) {
      switch state {
      case .absent: self = .absent
      case .present: self = .present
      case .damaged: self = .damaged
      }
    }
  }

  /// Bytes on disk.
  public var diskByteCount: Int { mainFileByteCount + journalByteCount }
}

/// What a verification found.
public struct VerificationReport: Equatable, Sendable {
  /// Bytes of the main file and the journal, all of which were read and checked.
  public let checkedByteCount: Int
  /// What does not check, if anything.
  public let problems: [StoreError]

  /// Whether nothing is wrong.
  public var isIntact: Bool { problems.isEmpty }
}
