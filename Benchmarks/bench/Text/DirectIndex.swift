import CSQLite
import Foundation

/// FTS5 as an app uses it by itself: the yardstick. The defaults of SQLite, so every transaction is
/// synced in full, as those of `TextIndex` are, and a cache of the same size.
///
/// All of the benchmark's calls of SQLite are here.
final class DirectIndex {
  struct Match {
    var row: Int
    /// BM25; larger is better.
    var score: Double
  }

  private let url: URL
  private var database: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  init(at url: URL, tokenizer: String) throws(BenchError) {
    self.url = url
    try check(sqlite3_open(url.path, &database))
    try run("PRAGMA cache_size = -8000")
    try run("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = '\(tokenizer)')")
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(database)
  }

  /// Removes some rows and adds others, in one transaction.
  func change(removing gone: [Int] = [], adding rows: [(row: Int, text: String)]) throws {
    try run("BEGIN")
    for row in gone { try step("DELETE FROM texts WHERE rowid = ?", row) }
    for (row, text) in rows {
      try step("INSERT INTO texts (rowid, text) VALUES (?, ?)", row, text)
    }
    try run("COMMIT")
  }

  /// The best rows for an expression of FTS5, or all of them.
  func matches(_ expression: String, count: Int? = nil) throws -> [Match] {
    var matches: [Match] = []
    let order = count == nil ? "" : " ORDER BY rank LIMIT ?2"
    try step("SELECT rowid, rank FROM texts WHERE texts MATCH ?1" + order, expression, count) {
      matches.append(
        Match(row: Int(sqlite3_column_int64($0, 0)), score: -sqlite3_column_double($0, 1)))
    }
    return matches
  }

  /// The rows that hold some letters, wherever they are; reads every text.
  func rows(containing letters: String) throws -> [Int] {
    var rows: [Int] = []
    try step("SELECT rowid FROM texts WHERE instr(text, ?) > 0", letters) {
      rows.append(Int(sqlite3_column_int64($0, 0)))
    }
    return rows
  }

  /// Size of the file.
  func byteCount() throws -> Int {
    try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
  }

  // MARK: - SQLite

  private func run(_ sql: String) throws(BenchError) {
    try check(sqlite3_exec(database, sql, nil, nil, nil))
  }

  private func step(
    _ sql: String, _ first: any BoundValue, _ second: (any BoundValue)? = nil,
    _ body: (OpaquePointer) -> Void = { _ in }
  ) throws(BenchError) {
    let statement = try prepared(sql)
    defer { sqlite3_reset(statement) }
    first.bind(to: statement, at: 1)
    second?.bind(to: statement, at: 2)
    var status = sqlite3_step(statement)
    while status == SQLITE_ROW {
      body(statement)
      status = sqlite3_step(statement)
    }
    try check(status == SQLITE_DONE ? SQLITE_OK : status)
  }

  private func prepared(_ sql: String) throws(BenchError) -> OpaquePointer {
    if let known = statements[sql] { return known }
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil))
    guard let statement else { throw BenchError("SQLite made no statement of \"\(sql)\".") }
    statements[sql] = statement
    return statement
  }

  private func check(_ status: Int32) throws(BenchError) {
    guard status != SQLITE_OK else { return }
    throw BenchError("SQLite, used directly: \(String(cString: sqlite3_errmsg(database)))")
  }
}

/// What a statement's place is filled with.
private protocol BoundValue {
  func bind(to statement: OpaquePointer, at index: Int32)
}

extension Int: BoundValue {
  fileprivate func bind(to statement: OpaquePointer, at index: Int32) {
    sqlite3_bind_int64(statement, index, Int64(self))
  }
}

extension String: BoundValue {
  fileprivate func bind(to statement: OpaquePointer, at index: Int32) {
    // SQLite copies the bytes before the call returns; the C macro is a cast.
    let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    sqlite3_bind_text(statement, index, self, Int32(utf8.count), copying)
  }
}
