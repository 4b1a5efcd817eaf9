internal import CPostgres

/// What libpq got for a statement: a row, or how the statement ended.
@safe final class QueryResult {
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

  init(_ result: QueryResult) {
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
