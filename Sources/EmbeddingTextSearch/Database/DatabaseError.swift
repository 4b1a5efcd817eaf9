internal import CSQLite
internal import EmbeddingStores

/// What SQLite answered when it could not do something.
struct DatabaseError: Error {
  /// SQLite's primary result code.
  let code: Int32
  let message: String

  /// Whether the file's bytes are not what SQLite wrote, so that it must be made anew.
  var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

  /// Whether a file that is being opened is better made anew: also when its schema is not what
  /// FTS5 can work with, which it calls a plain error.
  var spoilsOpening: Bool { isDamage || code == SQLITE_ERROR }

  /// Whether the file is as it should be but may not be written by us, or not now.
  var forbidsWriting: Bool {
    [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY, SQLITE_PERM, SQLITE_CANTOPEN, SQLITE_AUTH]
      .contains(code)
  }

  /// The error as the store's callers know errors.
  func storeError(path: String) -> StoreError {
    let (reason, advice): (StoreError.Code, String) =
      switch code {
      case SQLITE_FULL: (.noSpace, "Make room and search again.")
      case SQLITE_BUSY, SQLITE_LOCKED: (.locked, "Another process uses it: try again.")
      case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN:
        (.permissionDenied, "Check that the process may read and write there.")
      case SQLITE_CORRUPT, SQLITE_NOTADB: (.corrupt, "Open the text index again to rebuild it.")
      case SQLITE_TOOBIG, SQLITE_NOMEM: (.limitExceeded, "Search for less at once.")
      default: (.inputOutput, "Delete the file: it is made anew from the store.")
      }
    return StoreError(
      reason, "The text index can not be used: \(message). \(advice)",
      path: path)
  }
}
