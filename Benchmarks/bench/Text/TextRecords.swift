import EmbeddingStores
import Foundation

/// Synthetic records with text.
struct TextRecords {
  /// Components are small whole numbers, so that scores are exact and easily computed otherwise.
  static let space = EmbeddingSpace(model: "synthetic", dimension: 64, normalization: .none)

  let corpus: TextCorpus
  let texts: [String]
  /// In how many rows each word of the vocabulary is.
  let rowCounts: [Int]

  init(_ corpus: TextCorpus, count: Int) {
    self.corpus = corpus
    var texts: [String] = []
    var rowCounts = [Int](repeating: 0, count: corpus.vocabulary.words.count)
    for row in 0..<count {
      let made = corpus.text(row)
      texts.append(made.text)
      for word in Set(made.words) { rowCounts[word] += 1 }
    }
    self.texts = texts
    self.rowCounts = rowCounts
  }

  func record(_ row: Int, text: String? = nil) -> Record {
    Record(
      key: Self.key(row), vector: Self.vector(row),
      timestamp: Date(timeIntervalSince1970: Double(row)), text: text ?? texts[row])
  }

  static func key(_ row: Int) -> String { "record-\(row)" }

  /// The vector of a row; that of -1 is searched for.
  static func vector(_ row: Int) -> [Float] {
    var random = RandomNumbers(seed: UInt64(row + (1 << 32)))
    return (0..<space.dimension).map { _ in Float(random.below(17) - 8) }
  }
}
