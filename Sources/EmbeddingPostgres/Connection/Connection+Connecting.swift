internal import CPostgres
internal import Foundation

extension Connection {
  static func check(
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

  func connect() throws(PostgresError) {
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

  /// What libpq says of the connection.
  var connectionMessage: String {
    // unsafe: libpq's own text, copied.
    unsafe String(cString: PQerrorMessage(handle)).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
