import EmbeddingIndexing
import EmbeddingTestSupport
import Foundation
import Testing

/// Random tables and queries, rewritten by a table and by a slow definition of it.
@Suite struct PhraseTableOracleTests {
  private static let letters = ["a", "B", "á", "b", " ", " ", "  ", "-", "猫", "犬", "ß", "\u{3000}"]

  private static func text(
    _ lengths: ClosedRange<Int>, _ generator: inout SeededGenerator
  ) -> String {
    (0..<Int.random(in: lengths, using: &generator))
      .map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] }.joined()
  }

  @Test func randomQueriesAreRewrittenAsDefined() throws {
    var generator = SeededGenerator("randomQueriesAreRewrittenAsDefined", seed: 97)
    var rewrittenCount = 0
    for trial in 0..<1_500 {
      var table: [String: String] = [:]
      var folded: Set<String> = []
      for number in 0..<Int.random(in: 1...12, using: &generator) {
        let phrase = Self.text(1...5, &generator)
        let form = Oracle.fold(phrase).trimmingCharacters(in: .whitespaces)
        guard !form.isEmpty, folded.insert(form).inserted else { continue }
        table[phrase] = ["t\(number)", "t\(number) u", "", "-", "猫"][number % 5]
      }
      let phraseTable = try PhraseTable(table)
      for _ in 0..<4 {
        let query = Self.text(0...14, &generator)
        let expected = Oracle.rewrite(query, by: table)
        let found = phraseTable.phrasings(of: query)
        #expect(found == [expected ?? query], "trial \(trial): \"\(query)\" by \(table)")
        rewrittenCount += expected == nil ? 0 : 1
      }
    }
    #expect(rewrittenCount > 2_000)
  }
}

/// The definition of a rewritten query, for the letters of these tests: every phrase is compared
/// at every place, and what comes out is put together with marks that are resolved at the end.
private enum Oracle {
  private static let mark: Character = "|"

  static func fold(_ text: String) -> String {
    text.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil
    ).split(separator: /\s+/, omittingEmptySubsequences: false).joined(separator: " ")
  }

  /// Nil when no phrase occurs.
  static func rewrite(_ query: String, by table: [String: String]) -> String? {
    let letters = Array(
      query.split(separator: /\s+/, omittingEmptySubsequences: false).joined(separator: " "))
    let phrases = table.map { (fold($0.key).trimmingCharacters(in: .whitespaces), $0.value) }
    var output = ""
    var isRewritten = false
    var start = 0
    while start < letters.count {
      var best: (end: Int, replacement: String)?
      for end in (start + 1)...letters.count {
        let part = fold(String(letters[start..<end]))
        for (phrase, replacement) in phrases
        where phrase == part && isEdge(letters, start) && isEdge(letters, end) {
          best = (end, replacement)
        }
      }
      if let best {
        output += "\(mark)\(best.replacement)\(mark)"
        isRewritten = true
        start = best.end
      } else {
        output.append(letters[start])
        start += 1
      }
    }
    return isRewritten ? resolved(output) : nil
  }

  private static func isEdge(_ letters: [Character], _ index: Int) -> Bool {
    if index == 0 || index == letters.count { return true }
    let spaced = "aábBß"
    return !(spaced.contains(letters[index - 1]) && spaced.contains(letters[index]))
  }

  /// A mark between two words is a space, any other is nothing.
  private static func resolved(_ output: String) -> String {
    let pieces = output.split(separator: mark)
    var text = ""
    for piece in pieces {
      let word = /[a-zA-Z0-9áß猫犬]/
      let touches =
        text.suffix(1).wholeMatch(of: word) != nil && piece.prefix(1).wholeMatch(of: word) != nil
      text += (touches ? " " : "") + piece
    }
    return text.replacing(/\s+/, with: " ").trimmingCharacters(in: .whitespaces)
  }
}
