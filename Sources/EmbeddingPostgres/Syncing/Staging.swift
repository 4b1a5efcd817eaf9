/// Where rows wait that must be merged with what the table has: a temporary table, empty after each
/// transaction.
enum Staging {
  static let name = "pg_temp.embeddings_staging"
}

extension Connection {
  func makeStaging(for schema: PostgresSchema) throws(PostgresError) {
    try run(
      """
      CREATE TEMPORARY TABLE IF NOT EXISTS embeddings_staging
      (LIKE \(schema.name()) INCLUDING DEFAULTS) ON COMMIT DELETE ROWS
      """)
  }

  /// Makes the table have the rows that wait.
  ///
  /// What a device that pulls has not seen is left as it is. A row that is the same is not touched, but
  /// for taking it over from another device, so that this one's wish to keep it counts.
  func merge(_ schema: PostgresSchema, device: Device) throws(PostgresError) {
    let table = schema.name()
    let values: [WireValue] = [.integer(device.number), .integer(device.pulled)]
    let isSame = "t.owner = s.owner AND t.key = s.key AND t.part = s.part"
    let isSeen =
      "($2::bigint = 0 OR t.device = $1::integer OR t.change <= $2::bigint)"
    let details = ["\"timestamp\"", "labels", "text", "metadata", "content_revision"]
    let assigned = details + ["words", "device", "change"]
    try run(
      """
      DELETE FROM \(Staging.name) s USING \(schema.name("_removed")) t
      WHERE \(isSame) AND NOT \(isSeen)
      """, values)
    try run(
      """
      UPDATE \(table) t SET \(assigned.map { "\($0) = s.\($0)" }.joined(separator: ", "))
      FROM \(Staging.name) s
      WHERE \(isSame) AND \(isSeen) AND t.embedding = s.embedding AND (
        (\(details.map { "t.\($0)" }.joined(separator: ", ")))
          IS DISTINCT FROM (\(details.map { "s.\($0)" }.joined(separator: ", ")))
        OR NOT (t.device = $1::integer OR t.change <= $2::bigint)
      )
      """, values)
    try run(
      """
      INSERT INTO \(table) AS t (\(CopyEncoder.columns))
      SELECT \(CopyEncoder.columns) FROM \(Staging.name)
      ON CONFLICT (owner, key, part) DO UPDATE
      SET embedding = excluded.embedding,
        \(assigned.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
      WHERE \(isSeen) AND t.embedding <> excluded.embedding
      """, values)
    try run(
      "DELETE FROM \(schema.name("_removed")) t USING \(Staging.name) s WHERE \(isSame)")
  }
}
