public import EmbeddingStores

extension EmbeddingReader {
  /// Ranks matches anew so that each also differs from those before it: maximal marginal relevance
  /// (Carbonell and Goldstein 1998).
  ///
  /// The first is the best match; each next one has the largest
  /// `relevance * score - (1 - relevance) * s`, where s is its largest score with a row that was
  /// chosen before, and the earlier match wins among equals. With a relevance of 1 the matches keep
  /// the order of their scores, with 0 only their difference counts. Matches keep their scores. Those
  /// whose rows are gone by now are left out. In a space without normalisation the scores of long
  /// rows with each other count for more.
  ///
  /// - Throws: `.invalidArgument` for a relevance outside [0, 1] or a negative count.
  /// - Complexity: `count` dot products for each match. 6 bytes of memory for each component of
  ///   each match.
  public func diversified(
    _ matches: [Match], count: Int, relevance: Float = 0.7
  ) throws(StoreError) -> [Match] {
    guard (0...1).contains(relevance), count >= 0 else {
      throw StoreError(
        .invalidArgument,
        "Matches are ranked with a relevance from 0 to 1, \(relevance) is not, and 0 or more are "
          + "asked for, not \(count).")
    }
    let (rows, found) = try LiveRows.named(
      matches.map { ($0.key, $0.part) }, in: try snapshot())
    let matches = found.map { matches[$0] }
    let sample = try RowSample(rows)
    var (chosen, nearest): ([Int], [Float?]) = ([], matches.map { _ in nil })
    var rest = Array(matches.indices)
    while chosen.count < count {
      func worth(_ index: Int) -> Float {
        guard let nearest = nearest[index] else { return matches[index].score }
        return relevance * matches[index].score - (1 - relevance) * nearest
      }
      guard let best = rest.max(by: { (worth($0), $1) < (worth($1), $0) }) else { break }
      chosen.append(best)
      rest.removeAll { $0 == best }
      for (index, score) in sample.scores(withRowAt: best).enumerated() {
        nearest[index] = max(nearest[index] ?? -.infinity, rows.clamped(score))
      }
    }
    return chosen.map { matches[$0] }
  }
}
