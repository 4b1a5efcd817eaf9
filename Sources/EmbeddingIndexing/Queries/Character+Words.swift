extension Character {
  /// Whether it is part of a word, as letters and digits are.
  var isWordCharacter: Bool { isLetter || isNumber }

  /// Whether a phrase may end with `first` and another begin with `second`.
  ///
  /// Between two letters or digits one may not, or "art" would be found in "party"; unless one of
  /// them belongs to a script that leaves no spaces between words, where only the table tells.
  static func mayPart(_ first: Character, _ second: Character) -> Bool {
    !first.isWordCharacter || !second.isWordCharacter || first.isWrittenWithoutSpaces
      || second.isWrittenWithoutSpaces
  }

  private var isWrittenWithoutSpaces: Bool {
    guard let scalar = unicodeScalars.first else { return false }
    if scalar.properties.isIdeographic { return true }
    switch scalar.value {
    case 0x0E00...0x0EFF: return true  // Thai, Lao
    case 0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F: return true  // Myanmar
    case 0x1780...0x17FF: return true  // Khmer
    case 0x1950...0x19DF, 0x1A20...0x1AAF: return true  // Tai
    case 0x3005...0x3007, 0x3031...0x3035: return true  // Iteration marks
    case 0x3040...0x312F, 0x31A0...0x31FF: return true  // Kana, Bopomofo
    case 0xFF66...0xFF9F: return true  // Half-width katakana
    default: return false
    }
  }
}
