import EmbeddingStores
import EmbeddingTestSupport
import Foundation

@testable import EmbeddingTextSearch

/// A store with words, in a directory of its own.
struct WordBench {
  static let space = EmbeddingSpace(model: "test", dimension: 4)

  let directory: TemporaryDirectory
  let store: EmbeddingStore

  init(_ texts: [String: String] = [:]) throws {
    directory = try TemporaryDirectory()
    store = try EmbeddingStore(at: directory.store(), space: Self.space)
    try store.put(texts.map { Self.record($0.key, $0.value) })
  }

  var file: URL { directory.store().appending(path: "text.sqlite") }

  static func record(
    _ key: String, _ text: String?, labels: Set<String> = [], part: UInt16 = 0,
    timestamp: Date? = nil
  ) -> Record {
    let number = key.utf8.reduce(0) { $0 * 31 + Int($1) } % 1_000
    return Record(
      key: key, vector: RandomVectors.vector(number: number, dimension: 4), part: part,
      timestamp: timestamp, labels: labels, text: text)
  }
}

extension TextIndex {
  /// The keys that words find, sorted.
  func keys(_ words: WordQuery, filter: Filter = Filter()) throws -> [String] {
    try search(words: words, count: 1_000, filter: filter).map(\.key).sorted()
  }
}
