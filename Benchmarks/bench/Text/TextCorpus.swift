/// Synthetic texts of one kind of language. The same for the same row, everywhere.
struct TextCorpus {
  enum Script: String, CaseIterable {
    /// Words with accents and spaces between them.
    case latin
    /// Ideographs and kana, without spaces.
    case dense

    /// The tokenizer of FTS5 that suits it best.
    var tokenizer: String {
      switch self {
      case .latin: "unicode61 remove_diacritics 2"
      case .dense: "trigram"
      }
    }

    /// The least letters that this tokenizer's index can look for.
    var shortestIndexedLength: Int { self == .latin ? 1 : 3 }
  }

  /// A text and the words that it was made of, by their number.
  struct Text {
    var text: String
    var words: [Int]
  }

  let script: Script
  let vocabulary: Vocabulary

  init(_ script: Script) {
    self.script = script
    vocabulary = Vocabulary(script, count: 50_000)
  }

  /// The text of a row: 5 to 55 words in sentences.
  func text(_ row: Int) -> Text {
    var random = RandomNumbers(seed: UInt64(row) + 1)
    var made = Text(text: "", words: [])
    for position in 0..<5 + random.below(51) {
      let word = vocabulary.drawn(&random)
      made.words.append(word)
      let startsSentence = position % 10 == 0
      if position > 0 { made.text += separator(startsSentence) }
      let letters = vocabulary.words[word]
      made.text += startsSentence ? letters.prefix(1).uppercased() + letters.dropFirst() : letters
    }
    return made
  }

  private func separator(_ startsSentence: Bool) -> String {
    switch script {
    case .latin: startsSentence ? ". " : " "
    case .dense: startsSentence ? "。" : ""
    }
  }
}
