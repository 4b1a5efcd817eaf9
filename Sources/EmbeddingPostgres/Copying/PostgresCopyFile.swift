public import EmbeddingStores
public import Foundation

/// A file of rows for `psql`, for those whose device does not reach the server.
///
/// ```swift
/// let file = try PostgresCopyFile(of: store, for: schema, at: url)
/// print(file.script)  // for psql, run where the file is
/// ```
public struct PostgresCopyFile: Sendable {
  /// Where it is.
  public let url: URL
  /// Rows in it.
  public let rowCount: Int
  /// What `psql` is to be given: it takes the rows into an empty table, as `schema.script` makes it, in one
  /// transaction.
  public let script: String

  /// Writes the rows of a store, or of a snapshot, in PostgreSQL's binary copy format.
  ///
  /// The file is there when all of it is; one that is there already is replaced. Memory for one row and
  /// a quarter of a MiB, and 16 bytes a row. Ends early when the calling task is cancelled. A device
  /// that pushes to the table afterwards compares all rows once.
  ///
  /// - Throws: `.containsNUL` or `.limitExceeded` for a record that PostgreSQL can not hold, with its
  ///   key; `.spaceMismatch` for a store of another space; `.invalidArgument` for a path of several
  ///   lines; `.store` with `.inputOutput` when the file can
  ///   not be written.
  public init(
    of reader: some EmbeddingReader, for schema: PostgresSchema, at url: URL, owner: String = ""
  ) throws(PostgresError) {
    try schema.checked()
    guard !url.path(percentEncoded: false).contains(where: \.isNewline) else {
      throw PostgresError(
        .invalidArgument, "psql reads the path of a file from one line; this one has several.")
    }
    guard reader.space == schema.space else {
      throw PostgresError.otherSpace(reader.space, schema.space)
    }
    let snapshot = try asPostgresError { () throws(StoreError) in try reader.snapshot() }
    let rows = try asPostgresError { () throws(StoreError) in
      try snapshot.rows(numberedAfter: 0)
    }
    let output = try PartialFile(url)
    defer { output.discard() }
    var encoder = CopyEncoder(owner: owner, vectorType: schema.vectorType, device: 0)
    encoder.appendHeader()
    for (index, row) in rows.enumerated() {
      guard !Task.isCancelled else {
        throw PostgresError(.cancelled, "The task was cancelled, and there is no file.")
      }
      let stored = try asPostgresError { () throws(StoreError) in
        try snapshot.storedRecord(in: row)
      }
      try encoder.append(stored, change: Int64(index) + 1)
      guard encoder.bytes.count >= 256 << 10 else { continue }
      try output.write(encoder.bytes)
      encoder.removeAll()
    }
    encoder.appendTrailer()
    try output.write(encoder.bytes)
    try output.finish()
    self.url = url
    rowCount = rows.count
    script = Self.script(for: schema, at: url, owner: owner, rowCount: rows.count)
  }

  private static func script(
    for schema: PostgresSchema, at url: URL, owner: String, rowCount: Int
  ) -> String {
    let path = url.path(percentEncoded: false).replacing("'", with: "''")
    return """
      \\set ON_ERROR_STOP on
      BEGIN;
      SELECT set_config('embeddings.owner', \(SQLName.literal(owner)), true);
      \\copy \(schema.name()) (\(CopyEncoder.columns)) FROM '\(path)' WITH (FORMAT binary)
      INSERT INTO \(schema.name("_owners")) (owner, change) VALUES (\(SQLName.literal(owner)), \(rowCount));
      COMMIT;

      """
  }
}

/// A file under another name until it is whole.
private struct PartialFile {
  private let url: URL
  private let partial: URL
  private let handle: FileHandle

  init(_ url: URL) throws(PostgresError) {
    self.url = url
    partial = url.appendingPathExtension("partial")
    do {
      try Data().write(to: partial)
      handle = try FileHandle(forWritingTo: partial)
    } catch {
      throw Self.failure(error, url)
    }
  }

  func write(_ bytes: [UInt8]) throws(PostgresError) {
    do { try handle.write(contentsOf: bytes) } catch { throw Self.failure(error, url) }
  }

  func finish() throws(PostgresError) {
    do {
      try handle.synchronize()
      try handle.close()
      // unsafe: rename reads two paths up to their NUL. It replaces what is there in one step.
      guard unsafe rename(partial.path(percentEncoded: false), url.path(percentEncoded: false)) == 0
      else {
        throw CocoaError(.fileWriteUnknown)
      }
    } catch {
      throw Self.failure(error, url)
    }
  }

  /// Removes what was not finished.
  func discard() {
    try? handle.close()
    try? FileManager.default.removeItem(at: partial)
  }

  private static func failure(_ error: any Error, _ url: URL) -> PostgresError {
    PostgresError(
      StoreError(
        .inputOutput, "The file can not be written: \(error.localizedDescription)",
        path: url.path(percentEncoded: false)))
  }
}
