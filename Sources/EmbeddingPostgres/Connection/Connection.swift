internal import CPostgres
internal import Foundation

/// One connection to a server. All calls of libpq are in this file.
///
/// Not Sendable: it lives in the actor that made it, whose thread may wait (`BlockingExecutor`). Every
/// wait ends when the task is cancelled or the server says nothing for as long as it is given.
/// After an error that leaves a statement unfinished the connection is not usable any more; closing
/// it makes the server roll back.
@safe final class Connection {
  /// unsafe: what PQconnectStartParams allocated, until `deinit` frees it.
  private let handle: OpaquePointer
  /// How long the server may say nothing; nil for ever.
  var timeout: Duration?
  /// Whether the next statement can be sent.
  private(set) var isUsable = true
  /// Whether the table was found to be what it should.
  var isChecked = false

  /// Waits look up this often whether the task was cancelled.
  private static let sliceMilliseconds: Int32 = 50

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

// MARK: - Connecting

extension Connection {
  private static func check(
    _ parameters: [(name: String, value: String)]
  ) throws(PostgresError) {
    let isWhole = parameters.allSatisfy { !$0.name.utf8.contains(0) && !$0.value.utf8.contains(0) }
    var message: UnsafeMutablePointer<CChar>?
    for (name, value) in parameters where name == "dbname" && isWhole {
      guard value.contains("=") || value.contains("://") else { continue }
      // unsafe: libpq reads the text up to its NUL, and what it allocates is freed.
      let options = unsafe PQconninfoParse(value, &message)
      defer {
        unsafe PQconninfoFree(options)
        unsafe PQfreemem(message)
      }
      if unsafe options == nil { throw invalidString }
    }
    guard isWhole else { throw invalidString }
  }

  /// Says nothing of the string, nor what libpq says, which repeats parts of it.
  private static var invalidString: PostgresError {
    PostgresError(
      .invalidConnectionString,
      "The connection string can not be understood. Write odd characters in a URI as %XX, or give "
        + "the parameters one by one.")
  }

  private func connect() throws(PostgresError) {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    // unsafe: the connection exists; so in all that follows.
    while true {
      guard unsafe PQstatus(handle) != CONNECTION_BAD else { throw connectionFailure() }
      switch unsafe PQconnectPoll(handle) {
      case PGRES_POLLING_OK: return
      case PGRES_POLLING_READING: try wait(for: POLLIN, until: deadline)
      case PGRES_POLLING_WRITING: try wait(for: POLLOUT, until: deadline)
      default: throw connectionFailure()
      }
    }
  }

  private func connectionFailure() -> PostgresError {
    isUsable = false
    let text = connectionMessage
    // libpq has no code for why a connection failed, so its words have to do.
    if text.contains("authentication failed") || text.contains("no password supplied") {
      return PostgresError(
        .permissionDenied, "The server refused the role. Check its name and password.",
        serverMessage: text)
    }
    if text.contains("invalid connection option") || text.contains("invalid port number") {
      return PostgresError(
        .invalidConnectionString, "A connection parameter is none that libpq knows.",
        serverMessage: text)
    }
    return PostgresError(
      .connectionFailed, "No connection could be made. Check that the server is there.",
      serverMessage: text)
  }

  private var connectionMessage: String {
    // unsafe: libpq's own text, copied.
    unsafe String(cString: PQerrorMessage(handle)).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

// MARK: - Sending and waiting

extension Connection {
  private func send(_ sql: String, _ values: [WireValue]) throws(PostgresError) {
    guard isUsable else { throw lost() }
    var bytes: [[UInt8]?] = []
    var lengths: [Int32] = []
    for value in values {
      switch value {
      case .null:
        bytes.append(nil)
        lengths.append(0)
      case .bytes(let value):
        // An empty value has no address, which would say NULL: a byte that is not counted is added.
        bytes.append(value.isEmpty ? [0] : value)
        lengths.append(try Int32(checked: value.count))
      }
    }
    let sent = unsafe withPointers(to: bytes[...], []) { pointers in
      // unsafe: libpq copies the values, whose lengths and formats are as many.
      unsafe PQsendQueryParams(
        handle, sql, Int32(pointers.count), nil, pointers, lengths,
        [Int32](repeating: 1, count: pointers.count), 1)
    }
    guard sent == 1 else { throw lost() }
    try flush()
  }

  /// Calls `body` with the addresses of arrays, all of them at once.
  private func withPointers<Result>(
    to arrays: ArraySlice<[UInt8]?>, _ pointers: [UnsafePointer<CChar>?],
    _ body: ([UnsafePointer<CChar>?]) -> Result
  ) -> Result {
    guard let array = arrays.first else { return unsafe body(pointers) }
    guard let array else {
      return unsafe withPointers(to: arrays.dropFirst(), pointers + [nil], body)
    }
    return unsafe array.withUnsafeBytes { bytes in
      // unsafe: bytes are read as characters.
      unsafe withPointers(
        to: arrays.dropFirst(), pointers + [bytes.baseAddress?.assumingMemoryBound(to: CChar.self)],
        body)
    }
  }

  private func put(_ bytes: [UInt8]) throws(PostgresError) {
    let count = try Int32(checked: bytes.count)
    // unsafe: libpq copies as many bytes as it is told.
    let status = unsafe bytes.withUnsafeBytes { bytes in
      unsafe PQputCopyData(handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count)
    }
    guard status == 1 else { throw lost() }
    try flush()
  }

  /// Waits until the network has taken everything, so that nothing piles up in memory.
  private func flush() throws(PostgresError) {
    try checkCancellation()
    let deadline = timeout.map { ContinuousClock.now + $0 }
    while true {
      let status = unsafe PQflush(handle)
      if status == 0 { return }
      guard status > 0 else { throw lost() }
      // A server that has something to say may wait for us to read it.
      if try wait(for: POLLIN | POLLOUT, until: deadline) & POLLIN != 0 {
        guard unsafe PQconsumeInput(handle) == 1 else { throw lost() }
      }
    }
  }

  private func nextResult() throws(PostgresError) -> QueryResult? {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    while unsafe PQisBusy(handle) == 1 {
      try wait(for: POLLIN, until: deadline)
      guard unsafe PQconsumeInput(handle) == 1 else { throw lost() }
    }
    guard let result = unsafe PQgetResult(handle) else { return nil }
    return unsafe QueryResult(result)
  }

  @discardableResult
  private func wait(
    for events: Int32, until deadline: ContinuousClock.Instant?
  ) throws(PostgresError) -> Int32 {
    while true {
      try checkCancellation()
      if let deadline, ContinuousClock.now > deadline {
        isUsable = false
        throw PostgresError(.timedOut, "The server did not answer in time. Try again.")
      }
      var descriptor = pollfd(fd: unsafe PQsocket(handle), events: Int16(events), revents: 0)
      guard descriptor.fd >= 0 else { throw lost() }
      // unsafe: one descriptor, as is said.
      let count = unsafe poll(&descriptor, 1, Self.sliceMilliseconds)
      if count > 0 { return Int32(descriptor.revents) }
      if count < 0, errno != EINTR { throw lost() }
    }
  }

  private func checkCancellation() throws(PostgresError) {
    guard Task.isCancelled else { return }
    isUsable = false
    throw PostgresError(.cancelled, "The task was cancelled; what was committed before stays.")
  }

  private func lost() -> PostgresError {
    isUsable = false
    return PostgresError(
      .connectionLost, "The connection was lost. Try again: what was committed stays.",
      serverMessage: connectionMessage)
  }

  private func error(of result: QueryResult) -> PostgresError {
    guard let state = result.sqlState else { return lost() }
    // A server that shuts down says so, and goes.
    if unsafe PQstatus(handle) != CONNECTION_OK || state.hasPrefix("57P") { isUsable = false }
    return PostgresError.server(state, result.message)
  }
}

// MARK: - Results

/// What libpq got for a statement: a row, or how the statement ended.
@safe private final class QueryResult {
  /// unsafe: what PQgetResult gave, until `deinit` frees it.
  fileprivate let handle: OpaquePointer

  init(_ handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  deinit {
    // unsafe: the result is not used again.
    unsafe PQclear(handle)
  }

  // unsafe: the result exists; texts are libpq's own, end with NUL, and are copied.
  var status: ExecStatusType { unsafe PQresultStatus(handle) }
  var changedCount: Int { Int(unsafe String(cString: PQcmdTuples(handle))) ?? 0 }
  var sqlState: String? { field("C") }

  var message: String {
    ([field("M") ?? "no message"] + [field("D"), field("H")].compactMap { $0 })
      .joined(separator: " ")
  }

  private func field(_ letter: Unicode.Scalar) -> String? {
    guard let text = unsafe PQresultErrorField(handle, Int32(letter.value)) else { return nil }
    return unsafe String(cString: text)
  }
}

/// One row of an answer, in binary format.
struct ResultRow {
  private let result: QueryResult

  fileprivate init(_ result: QueryResult) {
    self.result = result
  }

  /// The bytes of a column; nil for NULL.
  func bytes(_ column: Int32) -> [UInt8]? {
    // unsafe: libpq checks the column; its bytes are there as long as the result, and as many as it
    // says.
    guard unsafe PQgetisnull(result.handle, 0, column) == 0,
      let start = unsafe PQgetvalue(result.handle, 0, column)
    else { return nil }
    let count = Int(unsafe PQgetlength(result.handle, 0, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  func text(_ column: Int32) throws(PostgresError) -> String? {
    guard let bytes = bytes(column) else { return nil }
    return try WireReader.text(bytes)
  }

  func integer<Number: FixedWidthInteger>(
    _ column: Int32, as type: Number.Type = Number.self
  ) throws(PostgresError) -> Number? {
    guard let bytes = bytes(column) else { return nil }
    guard bytes.count == Number.bitWidth / 8 else { throw WireReader.malformed }
    var reader = WireReader(bytes)
    return try reader.integer()
  }

  func texts(_ column: Int32) throws(PostgresError) -> [String] {
    guard let bytes = bytes(column) else { return [] }
    var reader = WireReader(bytes)
    return try reader.texts()
  }
}
