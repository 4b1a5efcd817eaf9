public import EmbeddingStores

/// Rewrites queries by a table of phrases, such as German words and the English ones for a text
/// encoder that knows only English.
///
/// Goes through the query from its start and replaces the longest phrase that begins there; what
/// the table does not know stays as it is. Case, accents, width and kinds of white space make no
/// difference: "STRASSE" is "Straße", "cafe" is "Café", "ｶﾒﾗ" is "カメラ". Marks that make another
/// letter do: "が" is not "か".
///
/// Phrases begin and end at the edges of words, and inflected forms need entries of their own. In
/// scripts without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) they may
/// begin and end anywhere, so a table for these should also have the long words that contain short
/// ones.
public struct PhraseTable: QueryRewriter {
  private let replacements: [[String]]
  private let trie: PhraseTrie

  /// Makes a table of phrases and what each is replaced by; an empty replacement drops the phrase.
  ///
  /// - Throws: `StoreError` as the other initialiser.
  public init(_ replacements: [String: String]) throws(StoreError) {
    try self.init(replacements.mapValues { [$0] })
  }

  /// Makes a table of phrases and what each may be replaced by, at least one text; an empty text
  /// drops the phrase.
  ///
  /// - Throws: `StoreError` with `.invalidArgument`, naming the phrases, for one that is blank or
  ///   has no replacement, and for two that are the same phrase with different replacements.
  /// - Complexity: one dictionary entry for each Unicode scalar of the phrases.
  public init(_ replacements: [String: [String]]) throws(StoreError) {
    let entries = replacements.sorted { $0.key < $1.key }
    var trie = PhraseTrie()
    for (index, entry) in entries.enumerated() {
      let folded = FoldedText(entry.key.trimmed)
      guard !folded.scalars.isEmpty, !entry.value.isEmpty else {
        throw StoreError(
          .invalidArgument,
          "The phrase \"\(entry.key.prefix(40))\" is blank or has no replacement. Remove it from "
            + "the table, or give an empty text to drop it from queries.")
      }
      let present = trie.insert(folded.scalars, index)
      guard entries[present].value == entry.value else {
        throw StoreError(
          .invalidArgument,
          "The phrases \"\(entries[present].key.prefix(40))\" and \"\(entry.key.prefix(40))\" are "
            + "the same but for case, accents or width, and their replacements differ. Keep one.")
      }
    }
    self.trie = trie
    self.replacements = entries.map(\.value)
  }

  /// The query with its phrases replaced; the query itself when none is known.
  ///
  /// There are as many phrasings as the phrase with the most replacements has. Each phrase takes
  /// its first replacement in the first phrasing, the second in the second, and so on; one that
  /// has fewer starts over. Words that come to touch are put apart by a space.
  ///
  /// - Complexity: for each character of the query, the length of the longest text that begins
  ///   there and in some phrase; besides that, the length of the phrasings.
  public func phrasings(of query: String) -> [String] {
    let pieces = pieces(of: FoldedText(query))
    let counts = pieces.map { piece in
      if case .phrase(let index) = piece { replacements[index].count } else { 0 }
    }
    guard let count = counts.max(), count > 0 else { return [query] }
    return (0..<count).map { number in
      joined(
        pieces.map { piece in
          switch piece {
          case .unknown(let text): text
          case .phrase(let index): replacements[index][number % replacements[index].count]
          }
        })
    }
  }

  private enum Piece {
    case unknown(String)
    case phrase(Int)
  }

  private func pieces(of text: FoldedText) -> [Piece] {
    var pieces: [Piece] = []
    var unknown = ""
    var position = 0
    while position < text.characters.count {
      guard let match = longestMatch(in: text, from: position) else {
        unknown.append(text.characters[position])
        position += 1
        continue
      }
      if !unknown.isEmpty { pieces.append(.unknown(unknown)) }
      unknown = ""
      pieces.append(.phrase(match.phrase))
      position = match.end
    }
    if !unknown.isEmpty { pieces.append(.unknown(unknown)) }
    return pieces
  }

  private func longestMatch(in text: FoldedText, from start: Int) -> (phrase: Int, end: Int)? {
    let characters = text.characters
    guard start == 0 || Character.mayPart(characters[start - 1], characters[start]) else {
      return nil
    }
    var longest: (phrase: Int, end: Int)?
    var node = PhraseTrie.Node.root
    for index in start..<characters.count {
      guard let next = trie.node(from: node, by: text.scalars(at: index)) else { break }
      node = next
      let end = index + 1
      if let phrase = trie.value(at: node),
        end == characters.count || Character.mayPart(characters[index], characters[end])
      {
        longest = (phrase, end)
      }
    }
    return longest
  }

  /// The texts one after the other, with a space where two words would touch, and no other white
  /// space than single spaces within.
  private func joined(_ texts: [String]) -> String {
    var joined = ""
    for text in texts {
      if let last = joined.last, let first = text.first, last.isWordCharacter,
        first.isWordCharacter
      {
        joined += " "
      }
      joined += text
    }
    return joined.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
