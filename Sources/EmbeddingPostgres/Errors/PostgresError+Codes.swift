// MARK: - The connection

extension PostgresError.Code {
  /// The connection string can not be understood.
  public static let invalidConnectionString = Self(rawValue: "invalidConnectionString")
  /// No connection could be made: the server is not there, or refused.
  public static let connectionFailed = Self(rawValue: "connectionFailed")
  /// The connection ended during the call; the next call makes a new one.
  public static let connectionLost = Self(rawValue: "connectionLost")
  /// The server did not answer in time.
  public static let timedOut = Self(rawValue: "timedOut")
  /// The task was cancelled.
  public static let cancelled = Self(rawValue: "cancelled")
}

// MARK: - What the server has

extension PostgresError.Code {
  /// The role may not do this, or did not prove who it is.
  public static let permissionDenied = Self(rawValue: "permissionDenied")
  /// The database does not have the extension `vector` (pgvector).
  public static let missingExtension = Self(rawValue: "missingExtension")
  /// The extension is older than 0.8.0, which brought iterative index scans.
  public static let outdatedExtension = Self(rawValue: "outdatedExtension")
  /// The table, or one that goes with it, does not exist.
  public static let missingTable = Self(rawValue: "missingTable")
  /// The table has other columns or another vector type than the schema says, or does not keep owners
  /// apart as it says.
  public static let wrongTable = Self(rawValue: "wrongTable")
  /// The table holds vectors of another space.
  public static let spaceMismatch = Self(rawValue: "spaceMismatch")
  /// The server's disk is full.
  public static let diskFull = Self(rawValue: "diskFull")
  /// The server has no memory or no connection left.
  public static let outOfResources = Self(rawValue: "outOfResources")
  /// Somebody else changed the same rows at the same time: try again.
  public static let conflict = Self(rawValue: "conflict")
  /// Another error of the server; see `sqlState`.
  public static let serverError = Self(rawValue: "serverError")
  /// A row of the table is none that a store can hold.
  public static let invalidRow = Self(rawValue: "invalidRow")
}

// MARK: - What the caller asked

extension PostgresError.Code {
  /// An argument has a value that makes no sense; the message names it.
  public static let invalidArgument = Self(rawValue: "invalidArgument")
  /// A key, label or text has a NUL character, which PostgreSQL can not store.
  public static let containsNUL = Self(rawValue: "containsNUL")
  /// A value is larger than PostgreSQL can hold or index.
  public static let limitExceeded = Self(rawValue: "limitExceeded")
  /// A push would have removed a larger share of the table than allowed.
  public static let tooManyRemovals = Self(rawValue: "tooManyRemovals")
  /// The query has something that a server can not do, such as a closure.
  public static let unsupportedQuery = Self(rawValue: "unsupportedQuery")
  /// The local store failed; see `storeError`.
  public static let store = Self(rawValue: "store")
}
