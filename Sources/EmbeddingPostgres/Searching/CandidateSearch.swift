internal import EmbeddingStores

/// Asks a server for rows until the best ones are surely among them.
struct CandidateSearch {
  let connection: Connection
  let schema: PostgresSchema
  let ranking: CandidateRanking
  let conditions: Conditions
  /// What is searched with, of any length.
  let vector: [Float]
  let isGrouped: Bool
  let minimumScore: Float?

  /// Rows that are asked for beyond those that are needed.
  private static let spareCount = 16
  /// Rows in memory at once, unless more are needed; equal scores may be that many.
  private static let largestCount = 65_536

  private struct Answer {
    var candidates: [Record] = []
    /// The smallest of the server's scores.
    var lowestScore = Double.infinity
  }

  func matches(by method: SearchMethod) throws(PostgresError) -> [Match] {
    var method = method
    var limit = Self.sum(ranking.count, max(Self.spareCount, ranking.count / 4))
    while true {
      let answer = try ask(for: limit, by: method)
      let isAll = answer.candidates.count < limit
      let isEnough = nameCount(answer.candidates) >= ranking.count
      if case .graph = method {
        if isEnough { return try ranking.matches(answer.candidates) }
        // Either there are no more, or the graph gave up.
        if isAll { method = .exact } else { limit = Self.sum(limit, 3 * limit) }
        continue
      }
      let matches = try ranking.matches(answer.candidates)
      if isAll || (isEnough && isProven(matches, answer)) { return matches }
      if isEnough, limit >= max(Self.largestCount, 2 * ranking.count) { return matches }
      limit = Self.sum(limit, 3 * limit)
    }
  }

  /// Whether no row that was not sent can be among the matches.
  private func isProven(_ matches: [Match], _ answer: Answer) -> Bool {
    // Without normalisation nothing is known of the lengths of other rows.
    guard schema.isUnitLength else { return true }
    var needed = -Float.infinity
    if matches.count == ranking.count, let last = matches.last { needed = last.score }
    if let minimumScore { needed = max(needed, minimumScore) }
    // What two sums of products in Float32 may differ by, in whatever order they are taken.
    let margin = Double(2 * schema.space.dimension + 16) * 0x1p-24
    return answer.lowestScore + margin < Double(needed)
  }

  private func nameCount(_ candidates: [Record]) -> Int {
    guard isGrouped else { return candidates.count }
    return Set(candidates.map { Array($0.key.utf8) }).count
  }

  private static func sum(_ first: Int, _ second: Int) -> Int {
    let (sum, overflow) = first.addingReportingOverflow(second)
    return overflow ? .max : sum
  }
}

// MARK: - Asking

extension CandidateSearch {
  private func ask(for limit: Int, by method: SearchMethod) throws(PostgresError) -> Answer {
    guard case .graph(let order, let searchedRows, let scannedRows) = method else {
      return try answer(limit, distance: exactDistance, order: "distance, key, part")
    }
    return try connection.transaction("BEGIN READ ONLY") { () throws(PostgresError) in
      try connection.run(
        """
        SELECT set_config('hnsw.iterative_scan', $1::text, true),
          set_config('hnsw.max_scan_tuples', $2::text, true),
          set_config('hnsw.ef_search', $3::text, true)
        """, [.text(order.rawValue), .text(String(scannedRows)), .text(String(searchedRows))])
      return try answer(limit, distance: graphDistance, order: "distance")
    }
  }

  /// The expression that the index serves.
  private func graphDistance(_ vector: String) -> String {
    let rounded = schema.vectorType == .halfvec ? "::\(schema.columnType)" : ""
    return "embedding \(schema.distance) \(vector)\(rounded)"
  }

  /// The negative score with all digits of the query's vector, which no index serves.
  private func exactDistance(_ vector: String) -> String {
    "(embedding::vector <#> \(vector)) + 0"
  }

  private func answer(
    _ limit: Int, distance: (String) -> String, order: String
  ) throws(PostgresError) -> Answer {
    var conditions = conditions
    let vector = conditions.bind(try .vector(scaledVector))
    let count = conditions.bind(.integer(Int64(limit)))
    let expression = distance("\(vector)::vector(\(schema.space.dimension))")
    let decoder = RowDecoder(schema)
    var answer = Answer()
    try connection.run(
      """
      SELECT key, part, embedding, \(expression) AS distance
      FROM \(schema.name()) WHERE \(conditions.sql)
      ORDER BY \(order) LIMIT \(count)::bigint
      """, conditions.values
    ) { (row) throws(PostgresError) in
      guard let key = try row.text(0),
        let part = UInt16(exactly: try row.integer(1, as: Int32.self) ?? -1),
        let embedding = row.bytes(2), let distance = try row.integer(3, as: UInt64.self)
      else { throw WireReader.malformed }
      answer.candidates.append(
        try decoder.record(Record(key: key, vector: [], part: part), embedding: embedding))
      answer.lowestScore = min(answer.lowestScore, -Double(bitPattern: distance))
    }
    return answer
  }

  /// The vector with the length that scores are taken with.
  private var scaledVector: [Float] {
    guard schema.isUnitLength else { return vector }
    let length = vector.reduce(into: 0.0) { $0 += Double($1) * Double($1) }.squareRoot()
    return vector.map { Float(Double($0) / length) }
  }
}

extension WireValue {
  /// pgvector's `vector`: int16 number of components, int16 0, components.
  static func vector(_ components: [Float]) throws(PostgresError) -> WireValue {
    guard let count = Int16(exactly: components.count) else {
      throw PostgresError(.limitExceeded, "A vector of \(components.count) components is too long.")
    }
    var bytes: [UInt8] = []
    bytes.append(bigEndian: count)
    bytes.append(bigEndian: Int16(0))
    for component in components { bytes.append(bigEndian: component.bitPattern) }
    return .bytes(bytes)
  }
}
