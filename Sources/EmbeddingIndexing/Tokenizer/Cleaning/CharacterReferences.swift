/// References to characters, as HTML writes them: `&amp;`, `&#233;`, `&#xe9;`.
enum CharacterReferences {
  /// Replaces references by the rules for HTML documents, which also know `&amp` without its
  /// semicolon, and numbers that are no character.
  static func replaced(in text: [TracedScalar]) -> [TracedScalar] {
    replacing(in: text, isRepeated: false) { text, start in
      if text.scalar(at: start + 1) == "#" {
        guard let number = number(in: text, at: start + 2) else { return nil }
        let isClosed = text.scalar(at: number.end) == ";"
        return (character(numbered: number.value), isClosed ? number.end + 1 : number.end)
      }
      return named(in: text, at: start + 1)
    }
  }

  /// Replaces references that can be nothing else: those that end with a semicolon, among them
  /// names that someone wrote in capitals (`&EACUTE;`). An ampersand that comes out may begin
  /// another, however often the text was escaped.
  static func replacedUnambiguous(in text: [TracedScalar]) -> [TracedScalar] {
    replacing(in: text, isRepeated: true) { text, start in
      let isNumber = text.scalar(at: start + 1) == "#"
      let nameStart = isNumber ? start + 2 : start + 1
      var end = nameStart
      while end - nameStart < 25, let scalar = text.scalar(at: end), scalar.isLetterOrDigit {
        end += 1
      }
      guard (1...24).contains(end - nameStart), text.scalar(at: end) == ";" else { return nil }
      if isNumber {
        guard let number = number(in: text, at: nameStart), number.end == end,
          number.value != 0x3b
        else { return nil }
        return (character(numbered: number.value), end + 1)
      }
      let name = String(text[nameStart..<end])
      return (NamedCharacters.characters(named: name) ?? inCapitals(name)).map { ($0, end + 1) }
    }
  }

  private static func replacing(
    in text: [TracedScalar], isRepeated: Bool,
    by replacement: ([TracedScalar], _ start: Int) -> (characters: String, end: Int)?
  ) -> [TracedScalar] {
    guard text.contains("&") else { return text }
    var text = text
    var result: [TracedScalar] = []
    result.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      if text[index].value == "&", let (characters, end) = replacement(text, index) {
        let source = text[index].source.lowerBound..<text[end - 1].source.upperBound
        if isRepeated, characters == "&" {
          index = end - 1
          text[index] = TracedScalar(value: "&", source: source)
        } else {
          result.append(characters.unicodeScalars, for: source)
          index = end
        }
      } else {
        result.append(text[index])
        index += 1
      }
    }
    return result
  }
}

// MARK: - Names

extension CharacterReferences {
  /// A name and its semicolon, or else the longest beginning that is a name which needs none.
  private static func named(
    in text: [TracedScalar], at start: Int
  ) -> (characters: String, end: Int)? {
    var end = start
    while end - start < 32, let scalar = text.scalar(at: end), !scalar.endsName { end += 1 }
    if text.scalar(at: end) == ";",
      let characters = NamedCharacters.characters(named: String(text[start..<end]))
    {
      return (characters, end + 1)
    }
    return NamedCharacters.openBeginning(of: String(text[start..<end])).map {
      ($0.characters, start + $0.length)
    }
  }

  /// The capitals of what the name means in small letters, unless it has a meaning as it is.
  private static func inCapitals(_ name: String) -> String? {
    guard !name.unicodeScalars.contains(where: { "a"..."z" ~= $0 }),
      NamedCharacters.openBeginning(of: name) == nil
    else { return nil }
    return NamedCharacters.characters(named: name.lowercased())?.uppercased()
  }
}

// MARK: - Numbers

extension CharacterReferences {
  /// Digits, or "x" and hexadecimal digits. A number beyond Unicode is `UInt32.max`.
  private static func number(
    in text: [TracedScalar], at start: Int
  ) -> (value: UInt32, end: Int)? {
    let isHexadecimal = text.scalar(at: start) == "x" || text.scalar(at: start) == "X"
    let radix: UInt32 = isHexadecimal ? 16 : 10
    let firstDigit = isHexadecimal ? start + 1 : start
    var end = firstDigit
    var value: UInt32 = 0
    while let digit = text.scalar(at: end)?.digitValue, digit < radix {
      value = value > 0x10ffff ? .max : value * radix + digit
      end += 1
    }
    return end == firstDigit ? nil : (value, end)
  }

  /// The character of a number: by Windows' encoding for a control, none for what is no character,
  /// and U+FFFD for what Unicode does not have.
  private static func character(numbered value: UInt32) -> String {
    guard value != 0, let scalar = Unicode.Scalar(value) else { return "\u{fffd}" }
    switch value {
    case 0x80...0x9f:
      return StandardForms.fromWindows1252(scalar) ?? String(scalar)
    case 0x01...0x08, 0x0b, 0x0e...0x1f, 0x7f, 0xfdd0...0xfdef:
      return ""
    default:
      return value & 0xfffe == 0xfffe ? "" : String(scalar)
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isLetterOrDigit: Bool {
    "a"..."z" ~= self || "A"..."Z" ~= self || "0"..."9" ~= self
  }

  fileprivate var endsName: Bool {
    switch self {
    case "\t", "\n", "\u{c}", " ", "<", "&", "#", ";": true
    default: false
    }
  }

  /// Of an ASCII digit or letter; 36 and more for others.
  fileprivate var digitValue: UInt32 {
    switch self {
    case "0"..."9": value - 0x30
    case "a"..."z": value - 0x61 + 10
    case "A"..."Z": value - 0x41 + 10
    default: .max
    }
  }
}

extension String {
  fileprivate init(_ scalars: ArraySlice<TracedScalar>) {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars.lazy.map(\.value))
    self.init(view)
  }
}
