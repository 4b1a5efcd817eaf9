internal import EmbeddingStores

/// Rows that the store no longer has.
extension Push {
  private typealias Name = (key: String, part: UInt16)

  /// Names that are looked up, or removed, at once.
  private static let chunkCount = 4_096

  /// Which rows of the server are this device's to remove: those that it wrote last, and those that it
  /// has seen if it pulls.
  private static let isOurs =
    "(t.device = $2::integer OR ($3::bigint > 0 AND t.change <= $3::bigint))"

  private var identity: [WireValue] {
    [.text(owner), .integer(device.number), .integer(device.pulled)]
  }

  mutating func removeMissing(atMost share: Double) throws(PostgresError) {
    let (missing, count) = try missingNames()
    guard !missing.isEmpty else { return }
    guard Double(missing.count) <= share * Double(count) else {
      throw PostgresError(
        .tooManyRemovals,
        "\(missing.count) of \(count) rows on the server are not in the store, more than the share "
          + "of \(share) that may be removed. Check the store, or allow a larger share.")
    }
    for start in stride(from: 0, to: missing.count, by: Self.chunkCount) {
      try remove(missing[start..<min(start + Self.chunkCount, missing.count)])
    }
  }

  /// Reads the names that the server has, as they arrive; keeps those that the store has not.
  private func missingNames() throws(PostgresError) -> ([Name], Int) {
    var missing: [Name] = []
    var chunk: [Name] = []
    var count = 0
    func look() throws(PostgresError) {
      let places = try asPostgresError { () throws(StoreError) in
        try snapshot.places(notStored: chunk)
      }
      missing += places.map { chunk[$0] }
      chunk.removeAll(keepingCapacity: true)
    }
    try connection.run(
      "SELECT key, part FROM \(schema.name()) t WHERE owner = $1::text AND \(Self.isOurs)", identity
    ) { (row) throws(PostgresError) in
      count += 1
      guard let key = try row.text(0),
        let part = UInt16(exactly: try row.integer(1, as: Int32.self) ?? -1)
      else { throw WireReader.malformed }
      chunk.append((key, part))
      if chunk.count == Self.chunkCount { try look() }
    }
    try look()
    return (missing, count)
  }

  /// One transaction: the rows go, and leave their names for those who pull.
  private mutating func remove(_ names: ArraySlice<Name>) throws(PostgresError) {
    var count = 0
    try connection.transaction { () throws(PostgresError) in
      let base = try connection.takeChanges(names.count, owner: owner, in: schema)
      count = try connection.run(
        """
        WITH gone AS (
          DELETE FROM \(schema.name()) t
          USING unnest($4::text[], $5::integer[]) WITH ORDINALITY AS named (key, part, place)
          WHERE t.owner = $1::text AND t.key = named.key AND t.part = named.part AND \(Self.isOurs)
          RETURNING t.key, t.part, named.place
        )
        INSERT INTO \(schema.name("_removed")) (owner, key, part, device, change)
        SELECT $1::text, key, part, $2::integer, $6::bigint + place FROM gone
        ON CONFLICT (owner, key, part)
        DO UPDATE SET device = excluded.device, change = excluded.change
        """,
        identity + [
          try .texts(names.map(\.key)), try .integers(names.map { Int32($0.part) }),
          .integer(base),
        ])
    }
    progress.removedCount += count
  }
}
