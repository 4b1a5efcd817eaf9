internal import CSQLite

/// One connection to an SQLite database. All calls of SQLite are in this folder.
///
/// unchecked: a connection opened with SQLITE_OPEN_NOMUTEX may be used by any thread, one at a time,
/// which `TextIndex` holds its lock for. SQLite's own lock would be taken several times for each row
/// that is ranked.
@safe final class Database: @unchecked Sendable {
  enum Mode {
    case create, read, memory
  }

  /// unsafe: points to what sqlite3_open_v2 allocated, until `deinit` frees it.
  fileprivate let handle: OpaquePointer
  let rowTest = RowTest()

  /// How long a call waits for another process to finish its transaction.
  private static let timeoutMilliseconds: Int32 = 5_000

  init(path: String, mode: Mode) throws(DatabaseError) {
    let flags =
      switch mode {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .read: SQLITE_OPEN_READONLY
      case .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
      }
    var opened: OpaquePointer?
    // unsafe: SQLite reads the path up to its NUL, and writes one pointer.
    let status = unsafe sqlite3_open_v2(
      mode == .memory ? ":memory:" : path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard status == SQLITE_OK, let handle = unsafe opened else {
      // unsafe: closing what failed to open is asked for, and nil is allowed.
      unsafe sqlite3_close_v2(opened)
      throw DatabaseError(code: status & 0xff, message: "it could not be opened")
    }
    unsafe self.handle = handle
    // unsafe: the connection is open.
    unsafe sqlite3_busy_timeout(handle, Self.timeoutMilliseconds)
    // unsafe: as above.
    try check(unsafe rowTest.register(with: handle))
  }

  deinit {
    // unsafe: the connection is not used again; statements that are left keep it until they go.
    unsafe sqlite3_close_v2(handle)
  }

  /// Runs statements without values and results.
  func run(_ sql: String) throws(DatabaseError) {
    // unsafe: SQLite reads the text up to its NUL.
    try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// All of `body` or nothing of it.
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try transaction("BEGIN IMMEDIATE", body)
  }

  /// What `body` reads is of one moment.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    try transaction("BEGIN", body)
  }

  private func transaction<Result>(
    _ begin: String, _ body: () throws -> Result
  ) throws -> Result {
    try run(begin)
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // What failed may have ended the transaction already.
      try? run("ROLLBACK")
      throw error
    }
  }

  /// Rows that the last statement changed.
  var changedRowCount: Int {
    // unsafe: the connection is open.
    Int(unsafe sqlite3_changes(handle))
  }

  /// Makes this database a copy of another.
  func copy(_ other: Database) throws(DatabaseError) {
    // unsafe: both connections are open, and the backup is finished below, once.
    guard let backup = unsafe sqlite3_backup_init(handle, "main", other.handle, "main") else {
      throw error
    }
    let status = unsafe sqlite3_backup_step(backup, -1)
    let finished = unsafe sqlite3_backup_finish(backup)
    if status != SQLITE_DONE { try check(finished == SQLITE_OK ? status : finished) }
  }

  fileprivate func check(_ status: Int32) throws(DatabaseError) {
    guard status == SQLITE_OK else { throw error(status) }
  }

  private var error: DatabaseError {
    // unsafe: the connection is open.
    error(unsafe sqlite3_errcode(handle))
  }

  fileprivate func error(_ status: Int32) -> DatabaseError {
    // unsafe: the text is SQLite's, ends with NUL, and is copied before the next call.
    let message = unsafe String(cString: sqlite3_errmsg(handle))
    return DatabaseError(code: status & 0xff, message: message)
  }
}

/// A compiled statement of one database, for one thread at a time.
@safe final class Statement {
  enum BoundValue {
    case integer(Int64)
    case text([UInt8])
    case bytes([UInt8])
  }

  private let database: Database
  /// unsafe: points to what sqlite3_prepare_v2 allocated, until `deinit` frees it.
  private let handle: OpaquePointer

  init(_ sql: String, in database: Database) throws(DatabaseError) {
    var prepared: OpaquePointer?
    // unsafe: SQLite reads the text up to its NUL, and writes one pointer.
    try database.check(
      unsafe sqlite3_prepare_v2(database.handle, sql, -1, &prepared, nil))
    guard let handle = unsafe prepared else {
      throw DatabaseError(code: SQLITE_ERROR, message: "an empty statement")
    }
    self.database = database
    unsafe self.handle = handle
  }

  deinit {
    // unsafe: the statement is not used again.
    unsafe sqlite3_finalize(handle)
  }

  /// Runs the statement to its end and calls `body` for each row.
  func run(
    _ values: [BoundValue] = [], _ body: (Statement) throws(DatabaseError) -> Void = { _ in }
  ) throws(DatabaseError) {
    // unsafe: the statement exists.
    defer { unsafe sqlite3_reset(handle) }
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
    while true {
      let status = unsafe sqlite3_step(handle)
      guard status == SQLITE_ROW else {
        if status != SQLITE_DONE { throw database.error(status) }
        return
      }
      try body(self)
    }
  }

  func integer(_ column: Int32) -> Int64 {
    // unsafe: a column that is not there is 0.
    unsafe sqlite3_column_int64(handle, column)
  }

  func number(_ column: Int32) -> Double {
    // unsafe: as above.
    unsafe sqlite3_column_double(handle, column)
  }

  func bytes(_ column: Int32) -> [UInt8] {
    // unsafe: SQLite's bytes are there until the next step, and as many as it says.
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  private func bind(_ value: BoundValue, at index: Int32) throws(DatabaseError) {
    // unsafe: tells SQLite to copy the bytes before the call returns; the C macro is a cast.
    let copying = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    let status =
      switch value {
      case .integer(let number):
        unsafe sqlite3_bind_int64(handle, index, number)
      case .text(let bytes):
        // unsafe: SQLite copies as many bytes as it is told.
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe sqlite3_bind_text64(
            handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.none,
            UInt64(bytes.count), copying, UInt8(SQLITE_UTF8))
        }
      case .bytes(let bytes):
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe sqlite3_bind_blob64(
            handle, index, bytes.baseAddress, UInt64(bytes.count), copying)
        }
      }
    try database.check(status)
  }

  /// unsafe: an empty text must not be nil, which would be NULL; never written, never freed.
  nonisolated(unsafe) private static let none: UnsafePointer<CChar> =
    unsafe UnsafePointer(UnsafeMutablePointer<CChar>.allocate(capacity: 1))
}
