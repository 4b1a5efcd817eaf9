/// The characters that HTML has names for.
enum NamedCharacters {
  /// What `&name;` stands for.
  static func characters(named name: String) -> String? {
    all[name]
  }

  /// The longest beginning of a text that is a name without need of a semicolon, and what it
  /// stands for.
  static func openBeginning(of text: String) -> (characters: String, length: Int)? {
    var beginning = text.unicodeScalars.prefix(longestOpenName)
    while beginning.count > 1 {
      let name = String(beginning)
      if open.contains(name), let characters = all[name] { return (characters, beginning.count) }
      beginning.removeLast()
    }
    return nil
  }

  private static let longestOpenName = open.map(\.unicodeScalars.count).max() ?? 0

  private static let all = names.all
  private static let open = names.open

  private static let names: (all: [String: String], open: Set<String>) = {
    var all: [String: String] = [:]
    var open: Set<String> = []
    for entry in table.split(whereSeparator: \.isWhitespace) {
      guard let mark = entry.firstIndex(where: { $0 == "!" || $0 == ":" }) else { continue }
      let name = String(entry[..<mark])
      var characters = String.UnicodeScalarView()
      for number in entry[entry.index(after: mark)...].split(separator: "+") {
        guard let scalar = UInt32(number, radix: 16).flatMap(Unicode.Scalar.init) else { continue }
        characters.append(scalar)
      }
      all[name] = String(characters)
      if entry[mark] == "!" { open.insert(name) }
    }
    return (all, open)
  }()
}
