import Synchronization

/// The advisory lock of a store: held only during a commit or the last step of a compaction.
///
/// Byte 0 of the LOCK file is 1 while the journal is in doubt: a sync failed, so that what the
/// system shows of it may not be on the medium, and it must be written anew before anything is
/// appended. The file also holds ballast: when the disk is full, a removal gives it back to the system
/// and finds room for its journal entries.
final class WriterLock: Sendable {
  static let ballastByteCount: UInt64 = 65_536

  private let directory: StoreDirectory
  private let timeout: Duration
  /// The LOCK file while the lock is held. It is closed in between, which lets go of the lock
  /// whatever else goes wrong.
  private let held = Mutex<(any File)?>(nil)

  init(_ directory: StoreDirectory, timeout: Duration) {
    self.directory = directory
    self.timeout = timeout
  }

  /// Runs `body` while no other process or store object writes.
  func withLock<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let file = try openLockFile()
    defer { try? file.close() }
    try acquire(file)
    held.withLock { $0 = file }
    defer {
      held.withLock { $0 = nil }
      // A forked child may have the file open as well, so that closing alone is not enough.
      try? file.unlock()
    }
    try checkStillInPlace(file)
    return try body()
  }

  private func openLockFile() throws(StorageError) -> any File {
    do throws(StorageError) {
      return try directory.fileSystem.open(directory.lockPath, .readWrite)
    } catch  where error.code == .notFound {
      do throws(StorageError) {
        return try directory.fileSystem.open(directory.lockPath, .create)
      } catch  where error.code == .alreadyExists {
        return try directory.fileSystem.open(directory.lockPath, .readWrite)
      }
    }
  }

  private func acquire(_ file: any File) throws(StorageError) {
    let deadline = ContinuousClock.now + timeout
    var pause = Duration.microseconds(100)
    while try !file.tryLock(), !Sabotage.skips(.writerLock) {
      guard ContinuousClock.now < deadline else {
        throw StorageError(
          .locked, path: directory.path,
          "Another process is writing to the store and did not finish within \(timeout). Try "
            + "again, or raise the lock time-out.")
      }
      SystemCall.sleep(pause)
      pause = min(pause * 2, .milliseconds(10))
    }
  }

  /// The LOCK at the path must be the one that is locked, or the store was moved or replaced.
  private func checkStillInPlace(_ file: any File) throws(StorageError) {
    guard let attributes = try directory.fileSystem.attributes(of: directory.lockPath),
      try attributes.identity == file.attributes().identity
    else { throw Self.storeMoved(directory) }
  }

  static func storeMoved(_ directory: StoreDirectory) -> StorageError {
    StorageError(
      .storeMoved, path: directory.path,
      "The store's directory was moved, deleted or replaced while it was open. Open it again "
        + "where it is now.")
  }

  /// Whether a sync failed since the journal was last written anew, in whatever process. The lock
  /// must be held.
  var isJournalInDoubt: Bool {
    let first = held.withLock { $0 }.flatMap { try? $0.read(at: 0, byteCount: 1) }?.first
    return (first ?? 0) != 0
  }

  /// Notes that a sync failed, as far as a failing device lets it.
  func noteDoubt() {
    guard let file = try? directory.fileSystem.open(directory.lockPath, .readWrite) else { return }
    try? [UInt8(1)].withRawSpan { (span) throws(StorageError) in try file.write(span, at: 0) }
    try? file.sync(.full)
    try? file.close()
  }

  /// Takes the note back. The lock must be held.
  func clearDoubt() {
    guard isJournalInDoubt, let file = held.withLock({ $0 }) else { return }
    try? [UInt8(0)].withRawSpan { (span) throws(StorageError) in try file.write(span, at: 0) }
  }

  /// Fills the ballast up; failures are left for the next time. The lock must be held.
  func restoreBallast() {
    guard let file = held.withLock({ $0 }), let attributes = try? file.attributes(),
      attributes.byteCount < Self.ballastByteCount
    else { return }
    let start = max(attributes.byteCount, 1)
    let zeros = [UInt8](repeating: 0, count: Int(Self.ballastByteCount - start))
    do throws(StorageError) {
      try zeros.withRawSpan { (span) throws(StorageError) in try file.write(span, at: start) }
    } catch {
      try? file.truncate(to: start)
    }
  }

  /// Gives the ballast back to the system; false when there was none. The lock must be held.
  func releaseBallast() -> Bool {
    guard let file = held.withLock({ $0 }), let attributes = try? file.attributes(),
      attributes.byteCount > 1
    else { return false }
    return (try? file.truncate(to: 1)) != nil
  }
}
