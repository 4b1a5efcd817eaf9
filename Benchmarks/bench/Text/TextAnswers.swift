import EmbeddingStores
import EmbeddingTextSearch
import Foundation

/// Compares answers of a text index with those of FTS5 used directly, which knows the same rows.
struct TextAnswers {
  private let pair: TextPair
  private let checks: Checks

  init(_ pair: TextPair, _ checks: Checks) {
    self.pair = pair
    self.checks = checks
  }

  func check(_ samples: WordSamples, _ script: TextCorpus.Script) throws {
    let kinds = samples.kinds
    switch script {
    case .latin:
      for kind in kinds { for sample in kind.samples { try checkRanking(sample) } }
      for kind in kinds.prefix(3) {
        for sample in kind.samples.prefix(4) { try checkHybrid(sample) }
      }
    case .dense:
      for kind in kinds + [samples.shortWords] {
        for sample in kind.samples.prefix(12) { try checkRows(sample) }
      }
    }
  }

  /// Every row that has the words, in the same order with the same scores.
  private func checkRanking(_ sample: WordSamples.Sample) throws {
    let found = try pair.index.search(
      words: WordQuery(sample.words), count: pair.rows.count)
    let expected = try ranking(sample)
    checks.expect(
      found.map(\.key) == expected.map(\.key)
        && found.map { $0.words?.score } == expected.map(\.score),
      "\(sample.words): the answer differs from that of FTS5 used directly")
  }

  /// Every row that holds the letters; trigrams have other scores.
  private func checkRows(_ sample: WordSamples.Sample) throws {
    let found = try pair.index.search(
      words: WordQuery(sample.words), count: pair.rows.count)
    let expected = try pair.direct.rows(containing: sample.words)
    checks.expect(
      Set(found.map(\.key)) == Set(expected.map(TextRecords.key))
        && found.count == expected.count,
      "\(sample.words): \(found.count) rows instead of \(expected.count)")
  }

  /// Words and a vector, against both rankings worked out and fused here.
  private func checkHybrid(_ sample: WordSamples.Sample) throws {
    let vector = TextRecords.vector(-1)
    let found = try pair.index.search(
      HybridQuery(.vector(vector), words: WordQuery(sample.words), count: 50))
    let words = try ranking(sample)
    let vectors = pair.rows.map { row in
      let product = zip(vector, TextRecords.vector(row)).reduce(0.0) { $0 + Double($1.0 * $1.1) }
      return Placed(key: TextRecords.key(row), score: product)
    }.sorted(by: Placed.precedes)
    var fused: [String: Double] = [:]
    for ranking in [vectors, words] {
      for (position, placed) in ranking.prefix(200).enumerated() {
        fused[placed.key, default: 0] += 1 / Double(61 + position)
      }
    }
    let expected = fused.map { Placed(key: $0.key, score: $0.value) }
      .sorted(by: Placed.precedes).prefix(50)
    checks.expect(
      found.map(\.key) == expected.map(\.key) && found.map(\.score) == expected.map(\.score),
      "\(sample.words) and a vector: the answer differs from the one worked out slowly")
  }

  private struct Placed {
    var key: String
    var score: Double

    /// The order of every answer. Keys are ASCII.
    static func precedes(_ first: Placed, _ second: Placed) -> Bool {
      first.score == second.score ? first.key < second.key : first.score > second.score
    }
  }

  private func ranking(_ sample: WordSamples.Sample) throws -> [Placed] {
    try pair.direct.matches(sample.expression)
      .map { Placed(key: TextRecords.key($0.row), score: $0.score) }
      .sorted(by: Placed.precedes)
  }
}
