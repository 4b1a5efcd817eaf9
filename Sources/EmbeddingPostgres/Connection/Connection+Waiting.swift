internal import CPostgres
internal import Foundation

extension Connection {
  /// Waits look up this often whether the task was cancelled.
  private static let sliceMilliseconds: Int32 = 50

  func send(_ sql: String, _ values: [WireValue]) throws(PostgresError) {
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

  func put(_ bytes: [UInt8]) throws(PostgresError) {
    let count = try Int32(checked: bytes.count)
    // unsafe: libpq copies as many bytes as it is told.
    let status = unsafe bytes.withUnsafeBytes { bytes in
      unsafe PQputCopyData(handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count)
    }
    guard status == 1 else { throw lost() }
    try flush()
  }

  /// Waits until the network has taken everything, so that nothing piles up in memory.
  func flush() throws(PostgresError) {
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

  func nextResult() throws(PostgresError) -> QueryResult? {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    while unsafe PQisBusy(handle) == 1 {
      try wait(for: POLLIN, until: deadline)
      guard unsafe PQconsumeInput(handle) == 1 else { throw lost() }
    }
    guard let result = unsafe PQgetResult(handle) else { return nil }
    return unsafe QueryResult(result)
  }

  @discardableResult
  func wait(
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

  /// Whether the server has nothing to say between statements: unasked it only says that it goes.
  var isQuiet: Bool {
    var descriptor = pollfd(fd: unsafe PQsocket(handle), events: Int16(POLLIN), revents: 0)
    // unsafe: one descriptor, as is said.
    let count = unsafe poll(&descriptor, 1, 0)
    return descriptor.fd >= 0 && count == 0
  }

  func checkCancellation() throws(PostgresError) {
    guard Task.isCancelled else { return }
    isUsable = false
    throw PostgresError(.cancelled, "The task was cancelled; what was committed before stays.")
  }

  func lost() -> PostgresError {
    isUsable = false
    return PostgresError(
      .connectionLost, "The connection was lost. Try again: what was committed stays.",
      serverMessage: connectionMessage)
  }

  func error(of result: QueryResult) -> PostgresError {
    guard let state = result.sqlState else { return lost() }
    // A server that shuts down, or waited too long for us, says so, and goes.
    let isGone = state.hasPrefix("57P") || state == "25P03"
    if unsafe isGone || PQstatus(handle) != CONNECTION_OK { isUsable = false }
    return PostgresError.server(state, result.message)
  }
}
