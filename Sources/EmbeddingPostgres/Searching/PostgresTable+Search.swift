public import EmbeddingStores

extension PostgresTable {
  /// The rows closest to a query, best first, by the table's own method.
  ///
  /// See `search(_:by:)`.
  public func search(_ query: Query) throws(PostgresError) -> [Match] {
    try search(query, by: searchMethod)
  }

  /// The rows closest to a query, best first.
  ///
  /// With `.exact` they are those that a store with the same rows finds on the device, with the
  /// same scores in the same order; with `.graph` a few may be missing, and others stand in
  /// for them. Everything that the query says is sent as bound parameters. The server's rows come back
  /// with their vectors, `count + offset` and some more, and the device scores them.
  ///
  /// In a space without normalisation, rows whose scores are equal but for rounding may come in
  /// either order, and one of them in place of another.
  ///
  /// - Throws: `.unsupportedQuery` for a query with a closure; `.store` with the error that the search
  ///   has on the device, such as `.wrongDimension`, or `.notFound` for a key that is not there.
  public func search(_ query: Query, by method: SearchMethod) throws(PostgresError) -> [Match] {
    try method.checked()
    var ownRow: Record?
    if case .key(let key, let part) = query.target {
      ownRow = try storedRow(key, part)
    }
    let ranking = try CandidateRanking(query, in: space, ownRow: ownRow)
    let search = CandidateSearch(
      connection: try checkedConnection(), schema: schema, ranking: ranking,
      conditions: try Conditions(
        owner: owner, query.filter, without: ownRow?.key),
      vector: query.target.vector ?? ownRow?.vector ?? [],
      isGrouped: query.grouping == .bestPartPerKey, minimumScore: query.minimumScore)
    let matches = try search.matches(by: schema.hasGraph ? method : .exact)
    return Array(matches.dropFirst(query.offset).prefix(query.count))
  }

  /// The row of a key that is searched with.
  private func storedRow(_ key: String, _ part: UInt16) throws(PostgresError) -> Record {
    var record: Record?
    if !key.utf8.contains(0) {
      try checkedConnection().run(
        """
        SELECT embedding FROM \(schema.name())
        WHERE owner = $1::text AND key = $2::text AND part = $3::integer
        """, [.text(owner), .text(key), .integer(Int32(part))]
      ) { (row) throws(PostgresError) in
        guard let embedding = row.bytes(0) else { throw WireReader.malformed }
        record = try RowDecoder(schema).record(
          Record(key: key, vector: [], part: part), embedding: embedding)
      }
    }
    guard let record else {
      throw PostgresError(
        StoreError(
          .notFound, "No row on the server has the key \"\(key)\" and part \(part).", key: key))
    }
    return record
  }
}

extension Query.Target {
  fileprivate var vector: [Float]? {
    switch self {
    case .vector(let vector): vector
    case .embedding(let embedding): embedding.vector
    case .key: nil
    }
  }
}
