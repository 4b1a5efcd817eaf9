public import EmbeddingStores

extension TextIndex {
  /// The best rows for a query by vector, by words, or by both.
  ///
  /// Each side is exact: the best rows that satisfy all conditions, by the score of that side. The
  /// order is by the fused score, then by the bytes of the key, then by part; it does not depend on
  /// threads or on how the store and the index came to hold what they hold. All of the answer is of
  /// one snapshot.
  ///
  /// Words without a letter or digit find nothing.
  ///
  /// - Throws: `.invalidArgument` for a query without target and words, a count below 1, a negative
  ///   offset, or a fusion whose numbers are negative or not finite; `.limitExceeded` for words beyond
  ///   `WordQuery`'s limits; for the vector what `EmbeddingReader.search(_:)` throws; for the index
  ///   what `catchUp()` throws.
  /// - Complexity: The vector side costs as a search of the store; the word side a look-up for every row
  ///   that has the words, and a longer one for each of those that the filter allows.
  public func search(_ query: HybridQuery) throws(StoreError) -> [HybridMatch] {
    try answer(query)
  }

  /// `search(_:)` away from the caller's thread. When the task is cancelled, it ends after the step
  /// under way: taking in a few thousand rows, or one of the two searches.
  @concurrent public func search(_ query: HybridQuery) async throws(StoreError) -> [HybridMatch] {
    try answer(query)
  }

  private func answer(_ query: HybridQuery) throws(StoreError) -> [HybridMatch] {
    let total = try query.checkedTotal()
    let depth = max(total, query.fusion.depth)
    let parsed: ParsedWords? = if let words = query.words { try ParsedWords(words) } else { nil }
    let snapshot: Snapshot
    var words: [RankFusion.Entry] = []
    if let asked = query.words, let parsed, !parsed.terms.isEmpty {
      let excludedKey: String? = if case .key(let key, _)? = query.target { key } else { nil }
      let found = try matches(parsed.expression(for: asked)) {
        (snapshot, finder) throws(StoreError) in
        try OutsideRanking(
          of: snapshot, finder: finder, filter: query.filter, grouping: query.grouping,
          excludedKey: excludedKey, predicate: query.predicate)
      }
      snapshot = found.0
      words = try found.1.best(depth, of: found.2).map {
        RankFusion.Entry(key: $0.key, part: $0.part, score: $0.score)
      }
    } else {
      snapshot = try store.snapshot()
    }
    var vector: [RankFusion.Entry] = []
    guard !Task.isCancelled else {
      throw StoreError(.cancelled, "The search was cancelled.")
    }
    if let target = query.target {
      let closest = Query(
        target, count: depth, minimumScore: query.minimumVectorScore, filter: query.filter,
        grouping: query.grouping, where: query.predicate)
      vector = try snapshot.search(closest).map {
        RankFusion.Entry(key: $0.key, part: $0.part, score: Double($0.score))
      }
    }
    let fusion = RankFusion(
      fusion: query.fusion, groupsParts: query.grouping == .bestPartPerKey)
    var matches = Array(
      fusion.matches(vector: vector, words: words).dropFirst(query.offset).prefix(query.count))
    if let length = query.snippetLength, let parsed, query.words?.fields != .labels {
      for index in matches.indices {
        guard let part = matches[index].words?.part,
          let text = try snapshot.record(for: matches[index].key, part: part)?.text
        else { continue }
        matches[index].snippet = Snippet(
          of: text, ranges: parsed.ranges(in: text), length: length)
      }
    }
    return matches
  }

  /// The `count` best rows that have the words; see `search(_:)`.
  public func search(
    words: WordQuery, count: Int = 10, filter: Filter = Filter(), snippetLength: Int? = nil
  ) throws(StoreError) -> [HybridMatch] {
    try search(
      HybridQuery(words: words, count: count, filter: filter, snippetLength: snippetLength))
  }

  /// Where the words of a query are in a text, in order: for marking them in a text that the app
  /// shows whole. Costs cutting the text into words.
  ///
  /// - Throws: `.limitExceeded` as `search(_:)`.
  public static func ranges(
    of words: WordQuery, in text: String
  ) throws(StoreError) -> [Range<String.Index>] {
    try ParsedWords(words).ranges(in: text).map { range in
      text.utf8.index(
        text.startIndex, offsetBy: range.lowerBound)..<text.utf8.index(
          text.startIndex, offsetBy: range.upperBound)
    }
  }
}

extension HybridQuery {
  /// How many matches are needed, those that are left out for paging included.
  package func checkedTotal() throws(StoreError) -> Int {
    guard target != nil || words != nil else {
      throw StoreError(.invalidArgument, "A search needs a target, words, or both.")
    }
    guard count > 0, offset >= 0 else {
      throw StoreError(
        .invalidArgument,
        "A search asks for 1 match or more, from offset 0 on; this one asks for \(count) from "
          + "\(offset).")
    }
    var numbers = [fusion.vectorWeight, fusion.wordWeight]
    if case .reciprocalRank(let constant) = fusion.method { numbers.append(constant) }
    guard numbers.allSatisfy({ $0 >= 0 && $0.isFinite }) else {
      throw StoreError(
        .invalidArgument, "The weights and the constant of a fusion are numbers from 0 on.")
    }
    let (total, overflow) = count.addingReportingOverflow(offset)
    return overflow ? .max : total
  }
}
