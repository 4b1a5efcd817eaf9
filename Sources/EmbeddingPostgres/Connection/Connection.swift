internal import CPostgres
internal import Foundation

/// One connection to a server. All calls of libpq and all of its pointers are in
/// this folder.
///
/// Not Sendable: it lives in the actor that made it, whose thread may wait (`BlockingExecutor`). Every
/// wait ends when the task is cancelled or the server says nothing for as long as it is given.
/// After an error that leaves a statement unfinished the connection is not usable any more; closing
/// it makes the server roll back.
@safe final class Connection {
  /// unsafe: what PQconnectStartParams allocated, until `deinit` frees it.
  let handle: OpaquePointer
  /// How long the server may say nothing; nil for ever.
  var timeout: Duration?
  /// Whether the next statement can be sent. When it no longer can, the server learns at once that nobody
  /// waits for it, and lets go of what it holds, however long this object stays.
  var isUsable = true {
    didSet {
      guard !isUsable else { return }
      // unsafe: the connection exists; what is closed already stays closed.
      _ = unsafe shutdown(PQsocket(handle), Int32(SHUT_RDWR))
    }
  }
  /// Whether the table was found to be what it should.
  var isChecked = false

  /// - Throws: `.invalidConnectionString`, `.connectionFailed`, `.permissionDenied`, `.timedOut` or
  ///   `.cancelled`.
  init(to server: PostgresServer) throws(PostgresError) {
    let parameters =
      server.parameters + [
        ("client_encoding", "UTF8"), ("fallback_application_name", "embeddings"),
      ]
    try Self.check(server.parameters)
    // unsafe: copies that are freed below.
    let names = unsafe parameters.map { unsafe strdup($0.name) }
    let values = unsafe parameters.map { unsafe strdup($0.value) }
    defer { unsafe (names + values).forEach { unsafe free($0) } }
    // unsafe: libpq copies two lists of C strings that end with nil.
    let opened = unsafe PQconnectStartParams(
      names.map { unsafe UnsafePointer($0) } + [nil],
      values.map { unsafe UnsafePointer($0) } + [nil],
      1)
    guard let handle = unsafe opened else {
      throw PostgresError(.outOfResources, "There is no memory for a connection.")
    }
    unsafe self.handle = handle
    timeout = server.timeout
    // unsafe: notices would go to the standard error stream.
    unsafe PQsetNoticeProcessor(handle, { _, _ in }, nil)
    try connect()
    guard unsafe PQsetnonblocking(handle, 1) == 0 else { throw lost() }
  }

  deinit {
    // unsafe: the connection is not used again.
    unsafe PQfinish(handle)
  }

  /// Runs a statement and calls `body` for each row of its answer, as the rows arrive.
  ///
  /// - Returns: How many rows it changed.
  @discardableResult
  func run(
    _ sql: String, _ values: [WireValue] = [],
    _ body: (ResultRow) throws(PostgresError) -> Void = { _ in }
  ) throws(PostgresError) -> Int {
    try send(sql, values)
    // unsafe: asks for rows one by one; nothing happens where there are none.
    _ = unsafe PQsetSingleRowMode(handle)
    var changedCount = 0
    var failure: PostgresError?
    while let result = try nextResult() {
      switch result.status {
      case PGRES_SINGLE_TUPLE:
        do throws(PostgresError) {
          try body(ResultRow(result))
        } catch {
          isUsable = false
          throw error
        }
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
        changedCount = result.changedCount
      default:
        failure = failure ?? error(of: result)
      }
    }
    if let failure { throw failure }
    return changedCount
  }

  /// All of `body` or nothing of it.
  func transaction<Result>(
    _ begin: String = "BEGIN", _ body: () throws(PostgresError) -> Result
  ) throws(PostgresError) -> Result {
    try run(begin)
    do throws(PostgresError) {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      if isUsable { _ = try? run("ROLLBACK") }
      throw error
    }
  }

  /// Sends rows in PostgreSQL's binary copy format: whatever `body` gives to its argument.
  func copy(
    _ sql: String,
    _ body: (_ send: ([UInt8]) throws(PostgresError) -> Void) throws(PostgresError) -> Void
  ) throws(PostgresError) {
    try send(sql, [])
    guard let started = try nextResult() else { throw lost() }
    guard started.status == PGRES_COPY_IN else {
      while try nextResult() != nil {}
      throw error(of: started)
    }
    do throws(PostgresError) {
      try body { (bytes) throws(PostgresError) in try self.put(bytes) }
    } catch {
      // The server forgets what it got when it learns that there will be no end.
      isUsable = false
      throw error
    }
    // unsafe: the connection is in the middle of a copy.
    guard unsafe PQputCopyEnd(handle, nil) == 1 else { throw lost() }
    try flush()
    var failure: PostgresError?
    while let result = try nextResult() {
      if result.status != PGRES_COMMAND_OK { failure = failure ?? error(of: result) }
    }
    if let failure { throw failure }
  }
}
