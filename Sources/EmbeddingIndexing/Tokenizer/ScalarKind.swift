/// What a scalar is to the splitting into words.
enum ScalarKind {
  case letter, number, other
  /// White space, which belongs to no word.
  case separator

  init(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x61...0x7a, 0x41...0x5a:
      self = .letter
    case 0x30...0x39:
      self = .number
    case _ where scalar.isWhiteSpace:
      self = .separator
    case 0x00...0x7f:
      self = .other
    case 0x345:
      // A mark whose upper case is a letter. The reference ignores case, and then it is neither a
      // letter nor anything but a letter.
      self = .separator
    default:
      self.init(category: scalar.properties.generalCategory)
    }
  }

  private init(category: Unicode.GeneralCategory) {
    switch category {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
      self = .letter
    case .decimalNumber, .letterNumber, .otherNumber:
      self = .number
    default:
      self = .other
    }
  }
}

extension Unicode.Scalar {
  /// Whether it has Unicode's property `White_Space`, which is slow to look up.
  var isWhiteSpace: Bool {
    switch value {
    case 0x20, 0x09...0x0d, 0x85, 0xa0, 0x1680, 0x2000...0x200a, 0x2028, 0x2029, 0x202f, 0x205f,
      0x3000:
      true
    default:
      false
    }
  }
}
