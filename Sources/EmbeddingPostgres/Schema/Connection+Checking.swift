internal import EmbeddingStores

extension Connection {
  /// Sets a parameter of the server for the rest of the transaction.
  func set(_ parameter: String, to value: String) throws(PostgresError) {
    try run("SELECT set_config($1::text, $2::text, true)", [.text(parameter), .text(value)])
  }

  /// Makes sure that the extension is new enough and that the table is what the schema says.
  func checkTable(_ schema: PostgresSchema) throws(PostgresError) {
    try checkExtension()
    try checkSpace(schema)
    var type: String?
    try run(
      """
      SELECT format_type(atttypid, atttypmod) FROM pg_attribute
      WHERE attrelid = $1::text::regclass AND attname = 'embedding' AND NOT attisdropped
      """, [.text(schema.name())]
    ) { (row) throws(PostgresError) in type = try row.text(0) }
    // The extension may be in a schema of its own, and then stands before the type.
    guard let type, type == schema.columnType || type.hasSuffix(".\(schema.columnType)") else {
      throw PostgresError(
        .wrongTable,
        "The table \(schema.name()) holds \(type ?? "no vectors"), and not \(schema.columnType).")
    }
    try run(
      """
      SELECT owner, key, part, "timestamp", labels, text, words, metadata, content_revision, device,
        change FROM \(schema.name()) LIMIT 0
      """)
    if schema.isolatesOwners { try checkIsolation(schema) }
    isChecked = true
  }

  /// Makes sure that the server itself keeps owners apart, in every table that has rows of them.
  private func checkIsolation(_ schema: PostgresSchema) throws(PostgresError) {
    var open: String?
    try run(
      """
      SELECT name FROM unnest($1::text[]) AS name JOIN pg_class ON pg_class.oid = name::regclass
      WHERE NOT (relrowsecurity AND relforcerowsecurity)
      """, [try .texts(schema.ownedTables)]
    ) { (row) throws(PostgresError) in open = try row.text(0) }
    guard let open else { return }
    throw PostgresError(
      .wrongTable,
      "The table \(open) shows every owner's rows. Run the schema's script, or `create()`, as its "
        + "owner.")
  }

  /// Makes sure that the extension is there, and new enough.
  func checkExtension() throws(PostgresError) {
    var version: String?
    try run("SELECT extversion FROM pg_extension WHERE extname = 'vector'") {
      (row) throws(PostgresError) in version = try row.text(0)
    }
    guard let version else {
      throw PostgresError(
        .missingExtension,
        "The database lacks pgvector. Install it on the server and run CREATE EXTENSION vector.")
    }
    guard Self.isCurrent(version) else {
      throw PostgresError(
        .outdatedExtension,
        "The database has pgvector \(version), and searches need 0.8.0. Install that and run "
          + "ALTER EXTENSION vector UPDATE.")
    }
  }

  /// Whether pgvector of a version scans on when a filter leaves too little.
  static func isCurrent(_ version: String) -> Bool {
    let numbers = version.split(separator: ".").map { Int($0) ?? 0 }
    return !numbers.lexicographicallyPrecedes([0, 8])
  }

  private func checkSpace(_ schema: PostgresSchema) throws(PostgresError) {
    var found: (layout: Int32, space: String)?
    try run(
      """
      SELECT layout, model, model_revision, dimension, normalization FROM \(schema.name("_space"))
      """
    ) { (row) throws(PostgresError) in
      let parts: [String] = [
        try row.text(1) ?? "", try row.text(2) ?? "",
        String(try row.integer(3, as: Int32.self) ?? 0), try row.text(4) ?? "",
      ]
      found = (try row.integer(0) ?? 0, parts.joined(separator: ", "))
    }
    guard let found else {
      throw PostgresError(
        .wrongTable, "\(schema.name("_space")) does not say what the vectors are.")
    }
    guard found.layout == PostgresSchema.layout else {
      throw PostgresError(
        .wrongTable, "The tables have layout \(found.layout); this version knows 1.")
    }
    let space = schema.space
    let expected = [
      space.model, space.revision, String(space.dimension), space.normalization.rawValue,
    ].joined(separator: ", ")
    guard expected.utf8.elementsEqual(found.space.utf8) else {
      throw PostgresError(
        .spaceMismatch,
        "The table holds vectors of another space (\(found.space)) than \(expected). Use the "
          + "table of this space, or push a store of that one.")
    }
  }
}
