public import Foundation

/// Where the keys of a file of vectors come from, and what else belongs to its rows: one line a row.
public enum RecordList: Sendable {
  /// A text file with one key a line, UTF-8, lines ending in `\n` or `\r\n`.
  case keys(URL)
  /// A JSON Lines file with one object a line. `"key"` must be there; `"part"`, `"timestamp"`
  /// (milliseconds since 1970), `"labels"` (a list), `"text"`, `"metadata"` (base64) and `"revision"`
  /// (decimal digits in a string) may be. Any other name is refused, so that a misspelt one loses
  /// nothing.
  case jsonLines(URL)
  /// No file: the keys are the row numbers, `"0"`, `"1"` and so on, as benchmark sets count them.
  case rowNumbers
}
