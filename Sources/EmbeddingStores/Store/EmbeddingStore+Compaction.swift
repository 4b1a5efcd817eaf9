internal import EmbeddingFiles
internal import Synchronization

/// How far a compaction has come.
public struct CompactionProgress: Equatable, Sendable {
  /// Rows written; where rows get compact codes, a vector is half of a row and its codes are the
  /// other half.
  public let completedRowCount: Int
  /// Rows to write.
  public let totalRowCount: Int
}

extension EmbeddingStore {
  /// Rewrites the live rows into a new main file and empties the journal, so that removed data is
  /// gone from the disk, dead rows cost nothing and the next opening is quick.
  ///
  /// Runs on the calling thread; reading and writing go on meanwhile, and open snapshots keep the
  /// old files alive. Ends early when the calling task is cancelled or the app is being suspended.
  /// After an error or a kill the store is as it was, with every commit.
  ///
  /// - Returns: Whether there was anything to do.
  /// - Throws: `.cancelled`; `.compactionInProgress` when one runs already; `.noSpace` before
  ///   anything is written when the volume has too little room; and as writing does.
  /// - Complexity: Reads and writes every live row once, and rotates it when it gets compact codes:
  ///   one multiplication for each pair of components. About 32 bytes of memory a row; for codes
  ///   30 MiB at 384 dimensions, 230 MiB at 2,048. Fitting them, .1 s to 4 s, can not be cancelled.
  @discardableResult
  public func compact(
    progress: (CompactionProgress) -> Void = { _ in }
  ) throws(StoreError) -> Bool {
    defer { announceChanges() }
    return try translatingErrors { () throws(StorageError) in
      try files.compact { (done, total) throws(StorageError) in
        guard !Task.isCancelled else {
          throw StorageError(.cancelled, "The compaction was cancelled. Nothing was changed.")
        }
        progress(CompactionProgress(completedRowCount: done, totalRowCount: total))
      }
    }
  }

  /// `compact(progress:)` away from the caller's thread.
  @concurrent @discardableResult
  public func compact(
    progress: @Sendable (CompactionProgress) -> Void = { _ in }
  ) async throws(StoreError) -> Bool {
    try compactNow(progress)
  }

  /// Whether the configuration's policy calls for a compaction.
  public var needsCompaction: Bool {
    let policy = configuration.compaction
    guard !files.options.isReadOnly, let contents = try? files.contents() else { return false }
    if files.journalByteCount > journalByteLimit(contents) { return true }
    return contents.rowCount >= 1_024
      && Double(contents.deadRowCount) > policy.deadShare * Double(contents.rowCount)
  }

  /// The error that ended the last automatic compaction, if it failed. The commits before it are
  /// safe; the store tries again when the journal has grown by another quarter of the policy's
  /// limit.
  public var lastCompactionError: StoreError? { failedCompaction.value?.error }

  private func journalByteLimit(_ contents: Contents) -> Int {
    configuration.compaction.journalByteLimit(beside: contents.main.bytes.byteCount)
  }

  func compactIfNeeded() {
    guard needsCompaction, !files.isBusyCompacting, let contents = try? files.contents() else {
      return
    }
    if let failed = failedCompaction.value,
      files.journalByteCount < failed.journalByteCount + journalByteLimit(contents) / 4
    {
      return
    }
    configuration.compaction.perform { [weak self] in
      guard let self, self.needsCompaction else { return }
      do throws(StoreError) {
        try self.compactNow { _ in }
        self.failedCompaction.value = nil
      } catch  where error.code == .compactionInProgress || error.code == .cancelled {
        return
      } catch {
        self.failedCompaction.value = FailedCompaction.Attempt(
          error: error, journalByteCount: self.files.journalByteCount)
      }
    }
  }

  @discardableResult
  private func compactNow(
    _ progress: (CompactionProgress) -> Void
  ) throws(StoreError) -> Bool {
    try compact(progress: progress)
  }
}

/// How the last automatic compaction failed, if it did.
final class FailedCompaction: Sendable {
  struct Attempt {
    var error: StoreError
    /// The journal at the time: it must grow before trying again is worth the work.
    var journalByteCount: Int
  }

  private let failure = Mutex<Attempt?>(nil)

  var value: Attempt? {
    get { failure.withLock { $0 } }
    set { failure.withLock { $0 = newValue } }
  }
}
