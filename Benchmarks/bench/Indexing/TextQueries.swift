import EmbeddingStores
import Foundation

/// What a search for a text found.
struct TextAnswer: Encodable {
  struct Found: Encodable {
    var key: String
    var score: Float
  }

  var text: String
  var matches: [Found]
}

/// Searches for texts in a store of text files.
struct TextQueries {
  let store: EmbeddingStore
  let encoder: HashedTextEncoder
  let folder: URL

  /// Searches for `texts`, or for lines of some files that are stored, and prints the answers.
  func answers(to texts: [String]) async throws -> [TextAnswer] {
    let texts = texts.isEmpty ? try linesOfFiles() : texts
    guard !texts.isEmpty else {
      Console.line("There is nothing to search for. --query TEXT searches for TEXT.")
      return []
    }
    var answers: [TextAnswer] = []
    for text in texts {
      let matches = try await store.search(for: encoder.embedding(of: text), count: 5)
      answers.append(
        TextAnswer(text: text, matches: matches.map { .init(key: $0.key, score: $0.score) }))
      Console.line("\n\"\(text)\"")
      for match in matches {
        Console.line("  \(Decimals.text(match.score, places: 3))  \(match.key)")
      }
    }
    return answers
  }

  /// The first line of some words of each of three stored files.
  private func linesOfFiles() throws -> [String] {
    let keys = try store.keys().sorted()
    return (0..<min(3, keys.count)).compactMap { index in
      let file = folder.appending(path: keys[(2 * index + 1) * keys.count / 6])
      guard let content = try? String(contentsOf: file, encoding: .utf8) else { return nil }
      return content.split(separator: "\n").lazy.compactMap(Self.words).first
    }
  }

  /// The first words of a line, if it has some.
  private static func words(_ line: Substring) -> String? {
    let words = line.split { !$0.isLetter && !$0.isNumber }
    return words.count < 3 ? nil : words.prefix(8).joined(separator: " ")
  }
}
