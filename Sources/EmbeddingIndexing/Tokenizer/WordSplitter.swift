/// Splits a cleaned text into the words that are encoded each by itself: the two special tokens,
/// English endings after an apostrophe, runs of letters, single digits, and runs of anything else
/// but white space.
struct WordSplitter {
  enum Special {
    case start, end
  }

  struct Word {
    var range: Range<Int>
    var special: Special?
  }

  private let text: [TracedScalar]
  private var position = 0

  init(_ text: [TracedScalar]) {
    self.text = text
  }

  /// The next word, or nil at the end.
  mutating func next() -> Word? {
    while position < text.count {
      let start = position
      if let (length, special) = specialToken() {
        position += length
        return Word(range: start..<position, special: special)
      }
      let kind = ScalarKind(text[start].value)
      position += kind == .separator ? 1 : max(endingLength(), runLength(of: kind))
      if kind != .separator { return Word(range: start..<position) }
    }
    return nil
  }

  private func scalar(at offset: Int) -> Unicode.Scalar? {
    position + offset < text.count ? text[position + offset].value : nil
  }

  private func runLength(of kind: ScalarKind) -> Int {
    guard kind != .number else { return 1 }
    var end = position + 1
    while end < text.count, ScalarKind(text[end].value) == kind { end += 1 }
    return end - position
  }
}

// MARK: - Endings and special tokens

extension WordSplitter {
  /// The length of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` here, or 0.
  ///
  /// The reference ignores case even though the text is lower-cased. Only the long s can tell.
  private func endingLength() -> Int {
    guard scalar(at: 0) == "'" else { return 0 }
    switch (scalar(at: 1), scalar(at: 2)) {
    case ("s", _), ("\u{17f}", _), ("t", _), ("m", _), ("d", _): return 2
    case ("r", "e"), ("v", "e"), ("l", "l"): return 3
    default: return 0
    }
  }

  /// A special token here. A start token with a long s is one word, but not the token.
  private func specialToken() -> (length: Int, Special?)? {
    guard scalar(at: 0) == "<", scalar(at: 1) == "|" else { return nil }
    if matches(Self.startToken) { return (Self.startToken.count, .start) }
    if matches(Self.endToken) { return (Self.endToken.count, .end) }
    if matches(Self.longStartToken) { return (Self.longStartToken.count, nil) }
    return nil
  }

  private func matches(_ token: [Unicode.Scalar]) -> Bool {
    token.indices.allSatisfy { scalar(at: $0) == token[$0] }
  }

  private static let startToken = Array("<|startoftext|>".unicodeScalars)
  private static let endToken = Array("<|endoftext|>".unicodeScalars)
  private static let longStartToken = Array("<|\u{17f}tartoftext|>".unicodeScalars)
}
