/// The advisory lock of a store: held only during a commit or the last step of a compaction.
///
/// The LOCK file also holds ballast: when the disk is full, a removal gives it back to the system
/// and finds room for its journal entries.
final class WriterLock: Sendable {
  static let ballastByteCount: UInt64 = 65_536

  private let directory: StoreDirectory
  private let file: any File
  private let timeout: Duration

  /// Opens or creates the LOCK file.
  init(_ directory: StoreDirectory, timeout: Duration) throws(StorageError) {
    self.directory = directory
    self.timeout = timeout
    do throws(StorageError) {
      file = try directory.fileSystem.open(directory.lockPath, .readWrite)
    } catch  where error.code == .notFound {
      do throws(StorageError) {
        file = try directory.fileSystem.open(directory.lockPath, .create)
      } catch  where error.code == .alreadyExists {
        file = try directory.fileSystem.open(directory.lockPath, .readWrite)
      }
    }
  }

  /// Runs `body` while no other process or store object writes.
  func withLock<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try acquire()
    let result: Result
    do throws(StorageError) {
      try checkStillInPlace()
      result = try body()
    } catch {
      try? file.unlock()
      throw error
    }
    try file.unlock()
    return result
  }

  private func acquire() throws(StorageError) {
    let deadline = ContinuousClock.now + timeout
    var pause = Duration.microseconds(100)
    while try !file.tryLock() {
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
  private func checkStillInPlace() throws(StorageError) {
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

  /// Fills the ballast up; failures are left for the next time.
  func restoreBallast() {
    guard let attributes = try? file.attributes(),
      attributes.byteCount < Self.ballastByteCount
    else { return }
    let zeros = [UInt8](repeating: 0, count: Int(Self.ballastByteCount))
    do throws(StorageError) {
      try zeros.withRawSpan { (span) throws(StorageError) in try file.write(span, at: 0) }
    } catch {
      try? file.truncate(to: 0)
    }
  }

  /// Gives the ballast back to the system; false when there was none.
  func releaseBallast() -> Bool {
    guard let attributes = try? file.attributes(), attributes.byteCount > 0 else { return false }
    return (try? file.truncate(to: 0)) != nil
  }
}
