/// What went wrong below the store: a code to switch on, the file it concerns, and what to do.
///
/// `EmbeddingStores` turns every one of these into a public `StoreError` with the same code.
package struct StorageError: Error, Equatable, Sendable {
  package enum Code: String, CaseIterable, Sendable {
    // What is at the path.
    case notFound, notADirectory, notAStore, permissionDenied, protectedDataUnavailable
    case storeMoved, hardLinked, alreadyExists
    // What the files hold.
    case corrupt, journalCorrupt, unsupportedFormat, spaceMismatch
    // Who may write.
    case readOnly, alreadyOpenForWriting, locked, closed, usedAfterFork
    // What the device did.
    case noSpace, inputOutput, previousInputOutputError, mappingFailed
    case unsupportedVolume
    // What the caller asked.
    case duplicateKey, limitExceeded, tooManyRemovals, cancelled, compactionInProgress
  }

  package var code: Code
  /// The file or directory concerned; empty when none is.
  package var path: String
  /// A sentence that says what happened and what to do about it.
  package var message: String
  /// The `errno` behind it, or 0.
  package var systemErrorNumber: Int32
  /// The key of the record concerned, if any.
  package var key: String?

  package init(
    _ code: Code, path: String = "", _ message: String, systemErrorNumber: Int32 = 0,
    key: String? = nil
  ) {
    self.code = code
    self.path = path
    self.message = message
    self.systemErrorNumber = systemErrorNumber
    self.key = key
  }
}
