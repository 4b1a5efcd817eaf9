/// A name or a text as SQL source has it. Values of records and queries never come here: they are
/// bound.
enum SQLName {
  /// A quoted name, whatever is in it.
  static func quoted(_ name: String) -> String {
    "\"\(name.replacing("\"", with: "\"\""))\""
  }

  /// A quoted text, for what SQL does not let be bound: defaults and conditions of a table.
  static func literal(_ text: String) -> String {
    let doubled = text.replacing("'", with: "''")
    return text.contains("\\") ? "E'\(doubled.replacing("\\", with: "\\\\"))'" : "'\(doubled)'"
  }
}
