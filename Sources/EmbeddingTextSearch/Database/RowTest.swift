internal import CSQLite

/// A function of SQL that asks Swift about a number.
final class RowTest {
  static let name = "row_passes"

  /// What it asks; nil for what lets every row pass.
  var passes: ((Int64) -> Bool)?

  /// Makes the function known to a connection, which must be closed before this goes.
  ///
  /// - Returns: SQLite's result code.
  func register(with connection: OpaquePointer) -> Int32 {
    // unsafe: SQLite hands the pointer back to the function, which is not called once the connection
    // is closed.
    unsafe sqlite3_create_function_v2(
      connection, Self.name, 1, SQLITE_UTF8, Unmanaged.passUnretained(self).toOpaque(),
      { context, _, values in
        // unsafe: what was registered, and as many values as was said: one.
        guard let test = unsafe sqlite3_user_data(context), let values = unsafe values else {
          return
        }
        let number = unsafe sqlite3_value_int64(values[0])
        let passes = unsafe Unmanaged<RowTest>.fromOpaque(test).takeUnretainedValue().passes
        unsafe sqlite3_result_int(context, passes?(number) == false ? 0 : 1)
      }, nil, nil, nil)
  }
}
