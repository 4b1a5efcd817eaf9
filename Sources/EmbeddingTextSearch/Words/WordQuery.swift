/// Words to search for, as a user typed them.
///
/// Case, accents and width do not matter: `lodz` finds "Łódź". Words in "quotes" must follow each other, as
/// must the parts of a word with a mark inside (`e-mail`, `l'école`). A star finds words that begin
/// so: `sun*`. Nothing else has a meaning, so no input is an error but for its length. Symbols and
/// punctuation are no words.
///
/// Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer are found by their scalars wherever these
/// follow each other, from a single one on: `京` finds "東京都".
public struct WordQuery: Sendable, Equatable, ExpressibleByStringLiteral {
  /// Which of several words must be there.
  public enum Matching: Sendable {
    /// All of them, each in the text or in a label.
    case all
    /// At least one of them; rows with more of them, or rarer ones, score higher.
    case any
  }

  /// Where words are looked for.
  public enum Fields: Sendable {
    /// In the text and the labels of a record.
    case textAndLabels
    /// In its text alone.
    case text
    /// In its labels alone.
    case labels
  }

  /// What the user typed: at most 65,536 UTF-8 bytes and 1,024 words.
  public var text: String
  /// Which of several words must be there.
  public var matching: Matching
  /// Where words are looked for.
  public var fields: Fields
  /// Whether the last word may be the beginning of one, as if a star followed: for searching while
  /// the user types.
  public var completesLastWord: Bool

  /// Makes a query of words.
  public init(
    _ text: String, matching: Matching = .all, fields: Fields = .textAndLabels,
    completesLastWord: Bool = false
  ) {
    self.text = text
    self.matching = matching
    self.fields = fields
    self.completesLastWord = completesLastWord
  }

  /// Makes a query of which all words must be there.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}
