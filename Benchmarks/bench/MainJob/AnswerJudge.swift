import EmbeddingStores

/// Compares what a search found with the exact answer.
///
/// Two rows whose double-precision scores differ by less than 1e-6 may swap places, within the
/// answer or across its end; nothing else may differ.
struct AnswerJudge {
  private static let swapTolerance = 1e-6
  /// Single precision sums a few thousand products of unit vectors more closely than this.
  private static let scoreTolerance = 1e-5

  private let data: DataSet
  private let exact: ExactAnswers

  init(_ data: DataSet) {
    self.data = data
    exact = ExactAnswers(data)
  }

  /// What is wrong with `matches` for a query, or nil.
  ///
  /// - Parameters:
  ///   - answer: The best rows, at least `count` of them if so many qualify.
  ///   - count: How many were asked for.
  ///   - admits: Whether a row may be among the matches.
  func problem(
    _ matches: [Match], query: Int, answer: [ScoredRow], count: Int,
    admits: (Int) -> Bool = { _ in true }
  ) -> String? {
    let answer = answer.prefix(count)
    guard matches.count == answer.count else {
      return "\(matches.count) matches instead of \(answer.count)"
    }
    var found: Set<Int> = []
    var lowest = Double.infinity
    for match in matches {
      guard let row = data.rowsByKey[match.key] else { return "unknown key \"\(match.key)\"" }
      guard found.insert(row).inserted else { return "\"\(match.key)\" occurs twice" }
      guard admits(row) else { return "\"\(match.key)\" does not qualify" }
      let score = exact.score(ofRow: row, query: query)
      guard abs(Double(match.score) - score) < Self.scoreTolerance else {
        return "\"\(match.key)\" has score \(match.score) instead of \(score)"
      }
      guard score - lowest < Self.swapTolerance else { return "\"\(match.key)\" comes too late" }
      lowest = min(lowest, score)
    }
    for missed in answer where !found.contains(missed.row) {
      guard missed.score - lowest < Self.swapTolerance else {
        return "\"\(data.keys[missed.row])\" is missing"
      }
    }
    return orderProblem(matches)
  }

  /// Matches are ordered by score, and equal scores by the bytes of the key.
  private func orderProblem(_ matches: [Match]) -> String? {
    for (first, second) in zip(matches, matches.dropFirst()) {
      let isOrdered =
        first.score > second.score
        || first.score == second.score
          && first.key.utf8.lexicographicallyPrecedes(second.key.utf8)
      if !isOrdered { return "\"\(first.key)\" comes before \"\(second.key)\"" }
    }
    return nil
  }
}
