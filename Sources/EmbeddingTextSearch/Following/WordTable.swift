internal import CSQLite
internal import EmbeddingStores

/// The tables of a text index: which rows it holds, and their words.
///
/// A row's number is its change number in the store, so that what the index says of a row can not be
/// taken for what the row said before. The words are kept as tokens, a normal FTS5 table: one that keeps
/// only its index could not forget a record whose text the store no longer has (SQLite can since 3.43).
///
/// unchecked: it is only reached through the lock of its `TextIndex`.
final class WordTable: @unchecked Sendable {
  enum State {
    case usable
    /// Made by another version, for another store, or empty.
    case outdated
    /// A database of somebody else.
    case foreign
  }

  /// What a table holds, and whether it is as it was.
  struct Position: Equatable, Sendable {
    /// The change number of the snapshot whose rows it holds, exactly; 0 while rows of one are
    /// being taken in, in several transactions.
    var changeNumber: UInt64
    /// Another one with each transaction, whoever makes it.
    var stamp: Int64
  }

  /// "ESTX".
  private static let applicationIdentifier: Int64 = 0x4553_5458
  private static let layoutVersion: Int64 = 1
  /// Stands between two labels, so that no phrase reaches from one into the next.
  private static let labelEnd = Array(" \u{e000} ".utf8)

  let database: Database
  private let engine: String
  private var statements: Statements?

  private struct Statements {
    let addRow, addWords, dropRow, dropWords: Statement
  }

  /// - Parameter engine: What makes the table of words; tests name one that does not exist.
  init(_ database: Database, engine: String) throws(DatabaseError) {
    self.database = database
    self.engine = engine
    try database.run("PRAGMA cache_size = -8000; PRAGMA secure_delete = ON")
  }

  /// What is in the database.
  func state(for storeIdentifier: [UInt8]) throws(DatabaseError) -> State {
    guard try integer("SELECT count(*) FROM sqlite_master") > 0 else { return .outdated }
    guard try integer("PRAGMA application_id") == Self.applicationIdentifier else {
      return .foreign
    }
    guard try integer("PRAGMA user_version") == Self.layoutVersion else { return .outdated }
    do throws(DatabaseError) {
      var store: [UInt8] = []
      try Statement("SELECT store FROM about", in: database).run { store = $0.bytes(0) }
      guard store == storeIdentifier,
        try integer("SELECT folding FROM about") == Int64(ScalarFolding.version)
      else { return .outdated }
      try prepare()
    } catch {
      // A table that is missing.
      guard error.code == SQLITE_ERROR else { throw error }
      return .outdated
    }
    return .usable
  }

  /// Makes the tables anew, empty. To be called in a transaction.
  func create(for storeIdentifier: [UInt8]) throws {
    statements = nil
    try database.run(
      """
      DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS rows; DROP TABLE IF EXISTS about;
      PRAGMA application_id = \(Self.applicationIdentifier);
      PRAGMA user_version = \(Self.layoutVersion);
      CREATE TABLE about (store BLOB, folding INTEGER, changeNumber INTEGER, stamp INTEGER);
      CREATE TABLE rows (number INTEGER PRIMARY KEY)
      """)
    do throws(DatabaseError) {
      try database.run("CREATE VIRTUAL TABLE words USING \(engine)(text, labels, tokenize = ascii)")
    } catch {
      guard error.code == SQLITE_ERROR else { throw error }
      throw StoreError(
        .textSearchUnavailable,
        "This system's SQLite has no full-text search (\(error.message)). Install one that is built "
          + "with FTS5.")
    }
    try Statement("INSERT INTO about VALUES (?, \(ScalarFolding.version), 0, 0)", in: database)
      .run([.bytes(storeIdentifier)])
    try prepare()
  }

  /// What the table holds.
  func position() throws(DatabaseError) -> Position {
    var position = Position(changeNumber: 0, stamp: 0)
    try Statement("SELECT changeNumber, stamp FROM about", in: database).run { row in
      position = Position(changeNumber: UInt64(clamping: row.integer(0)), stamp: row.integer(1))
    }
    return position
  }

  func setPosition(_ position: Position) throws(DatabaseError) {
    try Statement("UPDATE about SET changeNumber = ?, stamp = ?", in: database)
      .run([.integer(Int64(clamping: position.changeNumber)), .integer(position.stamp)])
  }

  /// The numbers of all rows, ascending.
  func rowNumbers() throws(DatabaseError) -> [UInt64] {
    var numbers: [UInt64] = []
    try Statement("SELECT number FROM rows ORDER BY number", in: database)
      .run { numbers.append(UInt64(clamping: $0.integer(0))) }
    return numbers
  }

  /// Takes in a row, unless it is there.
  func add(_ number: UInt64, text: String?, labels: [String]) throws(DatabaseError) {
    guard let statements else { return }
    try statements.addRow.run([.integer(Int64(clamping: number))])
    guard database.changedRowCount > 0 else { return }
    let words = Self.tokens(of: [text].compactMap { $0 })
    let labels = Self.tokens(of: labels)
    if words.isEmpty && labels.isEmpty { return }
    try statements.addWords.run([.integer(Int64(clamping: number)), .text(words), .text(labels)])
  }

  /// Forgets a row, if it is there.
  func remove(_ number: UInt64) throws(DatabaseError) {
    guard let statements else { return }
    try statements.dropRow.run([.integer(Int64(clamping: number))])
    guard database.changedRowCount > 0 else { return }
    try statements.dropWords.run([.integer(Int64(clamping: number))])
  }

  /// The rows that an expression of FTS5 matches, and how well: larger is better. Rows that are not
  /// admitted are left out before they are scored, which is most of the work.
  func matches(
    _ expression: [UInt8], where admits: ((UInt64) -> Bool)?
  ) throws(DatabaseError) -> [OutsideRanking.Entry] {
    var entries: [OutsideRanking.Entry] = []
    var sql = "SELECT rowid, bm25(words) FROM words WHERE words MATCH ?"
    if let admits {
      database.rowTest.passes = { admits(UInt64(clamping: $0)) }
      sql += " AND \(RowTest.name)(rowid)"
    }
    defer { database.rowTest.passes = nil }
    try Statement(sql, in: database).run([.text(expression)]) { row in
      entries.append(
        OutsideRanking.Entry(number: UInt64(clamping: row.integer(0)), score: -row.number(1)))
    }
    return entries
  }

  /// What SQLite finds wrong with the file and FTS5 with its index; nil for nothing.
  func problem() throws(DatabaseError) -> String? {
    var found: String?
    try Statement("PRAGMA integrity_check(1)", in: database).run { row in
      let answer = String(decoding: row.bytes(0), as: UTF8.self)
      if answer != "ok" { found = answer }
    }
    if found != nil { return found }
    do throws(DatabaseError) {
      try database.run("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")
    } catch {
      if error.isDamage { return error.message }
      // FTS5 takes the question for a write, which a read-only file does not allow.
      guard error.forbidsWriting else { throw error }
    }
    return nil
  }

  /// Merges what FTS5 wrote since the last time, and with that drops what was removed.
  func compact() throws(DatabaseError) {
    try database.run("INSERT INTO words (words) VALUES ('optimize')")
  }

  private func prepare() throws(DatabaseError) {
    _ = try Statement("SELECT rowid FROM words WHERE words MATCH ?", in: database)
    statements = Statements(
      addRow: try Statement("INSERT OR IGNORE INTO rows VALUES (?)", in: database),
      addWords: try Statement(
        "INSERT INTO words (rowid, text, labels) VALUES (?, ?, ?)", in: database),
      dropRow: try Statement("DELETE FROM rows WHERE number = ?", in: database),
      dropWords: try Statement("DELETE FROM words WHERE rowid = ?", in: database))
  }

  private func integer(_ sql: String) throws(DatabaseError) -> Int64 {
    var value: Int64 = 0
    try Statement(sql, in: database).run { value = $0.integer(0) }
    return value
  }

  private static func tokens(of texts: [String]) -> [UInt8] {
    var tokens: [UInt8] = []
    for text in texts {
      if !tokens.isEmpty { tokens += labelEnd }
      WordTokenizer.forEachToken(in: text) { token in
        if !tokens.isEmpty { tokens.append(UInt8(ascii: " ")) }
        tokens += token.bytes
      }
    }
    return tokens
  }
}
