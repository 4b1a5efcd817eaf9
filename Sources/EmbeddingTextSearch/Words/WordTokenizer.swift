internal import Foundation

/// A stretch of text as the index knows it.
package struct Token: Equatable {
  enum Kind {
    /// A word, or one piece of a very long one.
    case word
    /// Two neighbours in text without spaces.
    case pair
    /// The last scalar of text without spaces, which begins no pair.
    case last
  }

  let kind: Kind
  /// Folded, in UTF-8; letters and digits only.
  package let bytes: [UInt8]
  /// Where it is in the text, in UTF-8 bytes.
  let range: Range<Int>
  /// Where the first of a pair ends; the end of the range otherwise.
  let firstEnd: Int
}

/// Cuts texts into tokens. Words are folded (`ScalarFolding`). Text without spaces becomes
/// overlapping pairs and a last single scalar, so that a run of pairs is found exactly where the
/// scalars follow each other, and a scalar alone is the beginning of a token.
package struct WordTokenizer {
  /// Longer words are cut into pieces that follow each other.
  static let longestWordByteCount = 96

  private struct Unit {
    var scalar: Unicode.Scalar
    var range: Range<Int>
  }

  private var word: [UInt8] = []
  private var wordStart = 0
  private var wordEnd = 0
  private var previous: Unit?
  private var current: Unit?

  /// Calls `body` with every token, in the order of the text.
  package static func forEachToken(in text: String, _ body: (Token) -> Void) {
    forEachToken(inUTF8: Array(text.utf8), body)
  }

  static func tokens(in text: String) -> [Token] {
    var tokens: [Token] = []
    forEachToken(in: text) { tokens.append($0) }
    return tokens
  }

  static func forEachToken(inUTF8 bytes: [UInt8], _ body: (Token) -> Void) {
    var tokenizer = WordTokenizer()
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte < 0x80 {
        let folded = asciiFolding[Int(byte)]
        if folded == 0 {
          tokenizer.endAll(body)
        } else {
          tokenizer.append(folded, position..<position + 1, body)
        }
        position += 1
      } else {
        let (scalar, count) = decoded(bytes, at: position)
        for folded in ScalarFolding.folded(scalar) {
          tokenizer.append(folded, position..<position + count, body)
        }
        position += count
      }
    }
    tokenizer.endAll(body)
  }

  /// Lower-case letters and digits; 0 for what is neither.
  private static let asciiFolding: [UInt8] = (UInt8(0)..<128).map { byte in
    switch byte {
    case 48...57, 97...122: byte
    case 65...90: byte + 32
    default: 0
    }
  }

  /// A string's UTF-8 is always well-formed.
  private static func decoded(_ bytes: [UInt8], at start: Int) -> (Unicode.Scalar, Int) {
    let lead = UInt32(bytes[start])
    let count = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
    guard start + count <= bytes.count else { return ("\u{fffd}", bytes.count - start) }
    var value = lead & (0x7f >> UInt32(count))
    for offset in 1..<count { value = value << 6 | UInt32(bytes[start + offset] & 0x3f) }
    return (Unicode.Scalar(value) ?? "\u{fffd}", count)
  }

  private mutating func append(
    _ folded: FoldedScalar, _ range: Range<Int>, _ body: (Token) -> Void
  ) {
    switch folded {
    case .separator: endAll(body)
    case .ignored: extend(to: range)
    case .mark(let mark):
      // й and its like are two scalars in text that was taken apart.
      if let letter = mark.letter(after: word) {
        word.replaceSubrange(word.count - 2..<word.count, with: letter)
      }
      extend(to: range)
    case .word(let scalar):
      if scalar.isASCII {
        append(UInt8(scalar.value), range, body)
      } else {
        makeRoom(4, at: range, body)
        word.append(contentsOf: Array(String(scalar).utf8))
        wordEnd = range.upperBound
      }
    case .dense(let scalar):
      endWord(body)
      appendDense(Unit(scalar: scalar, range: range), body)
    }
  }

  private mutating func append(_ byte: UInt8, _ range: Range<Int>, _ body: (Token) -> Void) {
    makeRoom(1, at: range, body)
    word.append(byte)
    wordEnd = range.upperBound
  }

  private mutating func makeRoom(_ count: Int, at range: Range<Int>, _ body: (Token) -> Void) {
    endRun(body)
    if word.count + count > Self.longestWordByteCount { endWord(body) }
    if word.isEmpty { wordStart = range.lowerBound }
  }

  /// Takes a mark into the word or the scalar before it.
  private mutating func extend(to range: Range<Int>) {
    if !word.isEmpty { wordEnd = range.upperBound }
    if let unit = current { current?.range = unit.range.lowerBound..<range.upperBound }
  }

  private mutating func appendDense(_ unit: Unit, _ body: (Token) -> Void) {
    guard let last = current else {
      current = unit
      return
    }
    if let joined = Self.joined(last.scalar, unit.scalar) {
      current = Unit(scalar: joined, range: last.range.lowerBound..<unit.range.upperBound)
      return
    }
    if let first = previous { Self.emitPair(first, last, body) }
    previous = last
    current = unit
  }

  private mutating func endAll(_ body: (Token) -> Void) {
    endWord(body)
    endRun(body)
  }

  private mutating func endWord(_ body: (Token) -> Void) {
    guard !word.isEmpty else { return }
    body(Token(kind: .word, bytes: word, range: wordStart..<wordEnd, firstEnd: wordEnd))
    word.removeAll(keepingCapacity: true)
  }

  private mutating func endRun(_ body: (Token) -> Void) {
    guard let last = current else { return }
    if let first = previous { Self.emitPair(first, last, body) }
    body(
      Token(
        kind: .last, bytes: Array(String(last.scalar).utf8), range: last.range,
        firstEnd: last.range.upperBound))
    previous = nil
    current = nil
  }

  private static func emitPair(_ first: Unit, _ second: Unit, _ body: (Token) -> Void) {
    let bytes = Array(String(first.scalar).utf8) + Array(String(second.scalar).utf8)
    body(
      Token(
        kind: .pair, bytes: bytes, range: first.range.lowerBound..<second.range.upperBound,
        firstEnd: first.range.upperBound))
  }

  /// One scalar for two that were taken apart: jamo of a syllable, a kana and its sound mark.
  private static func joined(
    _ first: Unicode.Scalar, _ second: Unicode.Scalar
  ) -> Unicode.Scalar? {
    let value = first.value
    switch second.value {
    case 0x1161...0x1175 where (0x1100...0x1112).contains(value):
      return Unicode.Scalar(0xac00 + ((value - 0x1100) * 21 + second.value - 0x1161) * 28)
    case 0x11a8...0x11c2 where (0xac00...0xd7a3).contains(value) && (value - 0xac00) % 28 == 0:
      return Unicode.Scalar(value + second.value - 0x11a7)
    case 0x3099, 0x309a:
      let joined = (String(first) + String(second)).precomposedStringWithCanonicalMapping
      let scalars = joined.unicodeScalars
      return scalars.count == 1 ? scalars.first : nil
    default:
      return nil
    }
  }
}
