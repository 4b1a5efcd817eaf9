package import EmbeddingStores

/// What a user typed, as the terms that the index is asked for.
///
/// Quotes hold a phrase together and a star ends the beginning of a word; nothing else has a meaning,
/// and nothing of it reaches SQLite but letters and digits.
package struct ParsedWords: Equatable {
  /// Tokens that follow each other.
  package struct Term: Equatable {
    package var tokens: [[UInt8]]
    /// Whether the last token may go on.
    package var isPrefix: Bool
    /// Whether a match ends within its last token, after the first scalar.
    var endsInFirst: Bool
  }

  static let longestByteCount = 65_536
  static let largestTokenCount = 1_024

  package private(set) var terms: [Term] = []

  /// - Throws: `.limitExceeded` for more than can be meant to be words.
  package init(_ query: WordQuery) throws(StoreError) {
    guard query.text.utf8.count <= Self.longestByteCount else {
      throw StoreError(
        .limitExceeded,
        "The words to search for have \(query.text.utf8.count) UTF-8 bytes; the limit is "
          + "\(Self.longestByteCount).")
    }
    for (text, isPrefix) in Self.pieces(of: query.text) {
      append(WordTokenizer.tokens(in: text), isPrefix: isPrefix)
    }
    if query.completesLastWord, let last = terms.indices.last { terms[last].isPrefix = true }
    let count = terms.reduce(0) { $0 + $1.tokens.count }
    guard count <= Self.largestTokenCount else {
      throw StoreError(
        .limitExceeded,
        "There are \(count) words to search for; the limit is \(Self.largestTokenCount).")
    }
  }

  private mutating func append(_ tokens: [Token], isPrefix: Bool) {
    var tokens = tokens
    guard let last = tokens.last else { return }
    // The scalar that ends a run is the second of the pair before it, too, and in the text another one
    // may follow. Alone, it may begin any pair.
    let isAlone = last.kind == .last && tokens.dropLast().last?.kind != .pair
    if last.kind == .last, !isAlone { tokens.removeLast() }
    let isPrefixed = isAlone || (last.kind == .word && isPrefix)
    terms.append(
      Term(tokens: tokens.map(\.bytes), isPrefix: isPrefixed, endsInFirst: isAlone))
  }

  /// The words and phrases of a query, each with whether a star follows it.
  private static func pieces(of text: String) -> [(String, isPrefix: Bool)] {
    var pieces: [(String, isPrefix: Bool)] = []
    var piece = String.UnicodeScalarView()
    var isQuoted = false
    func end(isPrefix: Bool) {
      if !piece.isEmpty { pieces.append((String(piece), isPrefix)) }
      piece = String.UnicodeScalarView()
    }
    for scalar in text.unicodeScalars {
      if isQuote(scalar) {
        // What a phrase holds waits for the star that may follow it.
        if isQuoted {
          pieces.append((String(piece), false))
          piece = String.UnicodeScalarView()
        } else {
          end(isPrefix: false)
        }
        isQuoted.toggle()
      } else if scalar == "*", !isQuoted {
        if piece.isEmpty, !pieces.isEmpty {
          pieces[pieces.count - 1].isPrefix = true
        } else {
          end(isPrefix: true)
        }
      } else if scalar.properties.isWhitespace, !isQuoted {
        end(isPrefix: false)
      } else {
        piece.append(scalar)
      }
    }
    end(isPrefix: false)
    return pieces
  }

  private static func isQuote(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "\u{201c}", "\u{201d}", "\u{201e}", "\u{ff02}": true
    default: false
    }
  }

  /// The terms in FTS5's language.
  func expression(for query: WordQuery) -> [UInt8] {
    var expression: [UInt8] = []
    switch query.fields {
    case .textAndLabels: break
    case .text: expression += Array("{text} : ".utf8)
    case .labels: expression += Array("{labels} : ".utf8)
    }
    expression += Array("(".utf8)
    for (index, term) in terms.enumerated() {
      if index > 0 { expression += Array((query.matching == .all ? " AND " : " OR ").utf8) }
      expression += Array("\"".utf8)
      expression += term.tokens.joined(separator: Array(" ".utf8))
      expression += Array((term.isPrefix ? "\" *" : "\"").utf8)
    }
    return expression + Array(")".utf8)
  }

  /// Where terms are in a text, in UTF-8 bytes: ascending, joined where they overlap.
  package func ranges(in text: String) -> [Range<Int>] {
    let tokens = WordTokenizer.tokens(in: text)
    var found: [Range<Int>] = []
    for term in terms {
      for start in tokens.indices where isMatch(term, tokens, at: start) {
        let last = tokens[start + term.tokens.count - 1]
        found.append(
          tokens[start].range
            .lowerBound..<(term.endsInFirst ? last.firstEnd : last.range.upperBound))
      }
    }
    found.sort { $0.lowerBound < $1.lowerBound }
    return found.reduce(into: []) { joined, range in
      if let last = joined.last, range.lowerBound < last.upperBound {
        joined[joined.count - 1] =
          last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
  }

  private func isMatch(_ term: Term, _ tokens: [Token], at start: Int) -> Bool {
    guard start + term.tokens.count <= tokens.count else { return false }
    for (offset, wanted) in term.tokens.enumerated() {
      let token = tokens[start + offset].bytes
      let isLast = offset == term.tokens.count - 1
      guard isLast && term.isPrefix ? token.starts(with: wanted) : token == wanted else {
        return false
      }
    }
    return true
  }
}
