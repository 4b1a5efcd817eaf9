internal import EmbeddingStores
public import EmbeddingTextSearch

extension PostgresTable {
  /// The rows that a query finds by meaning, by words, or by both, best first, by the table's own
  /// method.
  ///
  /// The same words are found as by `TextIndex` on the device, within the limits of a `tsvector`:
  /// phrases among the first 16,383 words of a record, words within its first MiB. Rows have words
  /// when they were pushed; those that others wrote have what these put into the column `words`.
  /// Matches by words are ordered by PostgreSQL's `ts_rank`, not by BM25: the server does not know how
  /// rare a word is. Both sides become one order as on the device.
  ///
  /// - Throws: `.unsupportedQuery` for a query with a closure; `.store` with the error that the search has
  ///   on the device.
  public func search(_ query: HybridQuery) throws(PostgresError) -> [HybridMatch] {
    if query.predicate != nil {
      throw PostgresError(
        .unsupportedQuery,
        "A closure can not run on a server. Use the query's filter, or look through the matches.")
    }
    let (depth, parsed) = try asPostgresError { () throws(StoreError) in
      (
        max(try query.checkedTotal(), query.fusion.depth),
        try query.words.map { (words) throws(StoreError) in try ParsedWords(words) }
      )
    }
    var vector: [RankFusion.Entry] = []
    if let target = query.target {
      vector = try search(
        Query(
          target, count: depth, minimumScore: query.minimumVectorScore, filter: query.filter,
          grouping: query.grouping)
      ).map { RankFusion.Entry(key: $0.key, part: $0.part, score: Double($0.score)) }
    }
    var words: [RankFusion.Entry] = []
    if let asked = query.words, let parsed, !parsed.terms.isEmpty {
      words = try ranking(parsed.wordSearch(for: asked), of: query, depth)
    }
    let fusion = RankFusion(
      fusion: query.fusion, groupsParts: query.grouping == .bestPartPerKey)
    var matches = Array(
      fusion.matches(vector: vector, words: words).dropFirst(query.offset).prefix(query.count))
    if let length = query.snippetLength, let parsed, query.words?.fields != .labels {
      try addSnippets(to: &matches, parsed, length)
    }
    return matches
  }

  /// The best rows by words, each key once unless parts stay apart.
  private func ranking(
    _ words: String, of query: HybridQuery, _ depth: Int
  ) throws(PostgresError) -> [RankFusion.Entry] {
    var ownKey: String?
    if case .key(let key, _)? = query.target { ownKey = key }
    var conditions = try Conditions(owner: owner, query.filter, without: ownKey)
    let asked = conditions.bind(.text(words)) + "::text::tsquery"
    let count = conditions.bind(.integer(Int64(depth)))
    conditions.add("words @@ \(asked)")
    let distinct = query.grouping == .bestPartPerKey ? "DISTINCT ON (key)" : ""
    var entries: [RankFusion.Entry] = []
    try checkedConnection().run(
      """
      SELECT key, part, score FROM (
        SELECT \(distinct) key, part, ts_rank('{1,1,1,1}', words, \(asked), 1)::float8 AS score
        FROM \(schema.name()) WHERE \(conditions.sql) ORDER BY key, score DESC, part
      ) AS found ORDER BY score DESC, key, part LIMIT \(count)::bigint
      """, conditions.values
    ) { (row) throws(PostgresError) in
      guard let key = try row.text(0),
        let part = UInt16(exactly: try row.integer(1, as: Int32.self) ?? -1),
        let score = try row.integer(2, as: UInt64.self)
      else { throw WireReader.malformed }
      entries.append(RankFusion.Entry(key: key, part: part, score: Double(bitPattern: score)))
    }
    return entries
  }

  private func addSnippets(
    to matches: inout [HybridMatch], _ words: ParsedWords, _ length: Int
  ) throws(PostgresError) {
    for index in matches.indices {
      guard let part = matches[index].words?.part else { continue }
      var text: String?
      try checkedConnection().run(
        """
        SELECT text FROM \(schema.name())
        WHERE owner = $1::text AND key = $2::text AND part = $3::integer
        """, [.text(owner), .text(matches[index].key), .integer(Int32(part))]
      ) { (row) throws(PostgresError) in text = try row.text(0) }
      guard let text else { continue }
      matches[index].snippet = Snippet(of: text, ranges: words.ranges(in: text), length: length)
    }
  }
}

extension ParsedWords {
  /// The terms in the language of `tsquery`: `'one' <-> 'two':* & 'three'`. Tokens are letters and
  /// digits only.
  fileprivate func wordSearch(for query: WordQuery) -> String {
    let weight =
      switch query.fields {
      case .textAndLabels: ""
      case .text: "D"
      case .labels: "A"
      }
    return terms.map { term in
      let words = term.tokens.enumerated().map { place, token in
        let isPrefix = term.isPrefix && place == term.tokens.count - 1
        let marks = (isPrefix ? "*" : "") + weight
        return "'\(String(decoding: token, as: UTF8.self))'\(marks.isEmpty ? "" : ":\(marks)")"
      }
      return "(\(words.joined(separator: " <-> ")))"
    }.joined(separator: query.matching == .all ? " & " : " | ")
  }
}
