extension CLIPTokenizer {
  /// A text as the encoder takes it, and what did not fit.
  public struct Tokens: Equatable, Sendable {
    /// As many ids as the context is long: the start, the text, the end, and zeros.
    public let ids: [Int32]

    /// How many of the ids are not padding, the start and the end counted.
    public let tokenCount: Int

    /// How many tokens of the text did not fit and were left out.
    public let cutTokenCount: Int

    /// The end of the text that did not fit, as it was passed to `encode`, for showing it: empty
    /// when all fitted.
    ///
    /// Its indices are positions in that text, so that `text[..<cutText.startIndex]` is what was
    /// kept. It begins with the character to which the first token that was cut belongs, so that
    /// a word may be cut in two, and ends before white space at the end of the text.
    public let cutText: Substring

    /// Whether a part of the text was left out.
    public var isTruncated: Bool { cutTokenCount > 0 }
  }
}
