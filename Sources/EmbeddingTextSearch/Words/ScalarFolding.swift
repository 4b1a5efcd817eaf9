internal import Foundation

/// What a scalar counts as when texts are compared: case, accents, width and vowel points do not
/// matter, letters and digits do.
enum FoldedScalar: Equatable {
  /// Belongs to no word, and ends the one before.
  case separator
  /// Is passed over, as accents are, without ending a word.
  case ignored
  /// Is passed over, unless it makes another letter of the one before.
  case mark(LetterMark)
  /// Continues a word of a script that puts spaces between words.
  case word(Unicode.Scalar)
  /// A scalar of a script without spaces, or whose words are joined freely.
  case dense(Unicode.Scalar)
}

/// A mark that makes another letter of some Cyrillic ones: й is no и.
enum LetterMark {
  case breve, diaeresis

  init?(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\u{306}": self = .breve
    case "\u{308}": self = .diaeresis
    default: return nil
    }
  }

  /// The letter, in UTF-8, that the mark makes of the last one of a folded word.
  func letter(after word: [UInt8]) -> [UInt8]? {
    let last = Array(word.suffix(2))
    return Self.letters.first { $0.mark == self && $0.bare == last }?.marked
  }

  private static let letters: [(bare: [UInt8], mark: LetterMark, marked: [UInt8])] = [
    (Array("и".utf8), .breve, Array("й".utf8)), (Array("у".utf8), .breve, Array("ў".utf8)),
    (Array("і".utf8), .diaeresis, Array("ї".utf8)),
  ]
}

enum ScalarFolding {
  /// Raised when anything here or in the tokenizer changes, so that indexes are made anew.
  static let version = 1

  /// What a scalar folds to, in order.
  static func folded(_ scalar: Unicode.Scalar) -> [FoldedScalar] {
    let value = Int(scalar.value)
    if value < table.count { return table[value] }
    // Ideographs and syllables, which are most of what lies beyond the table, stay as they are.
    if (0x3400...0x9fff).contains(value) || (0xac00...0xd7a3).contains(value) {
      return [.dense(scalar)]
    }
    return computed(scalar)
  }

  /// The scalars up to here are computed once: asking Foundation takes a microsecond each.
  private static let table: [[FoldedScalar]] = (0..<0x3400).map { value in
    Unicode.Scalar(UInt32(value)).map(computed) ?? [.separator]
  }

  private static func computed(_ scalar: Unicode.Scalar) -> [FoldedScalar] {
    if let replaced = replacements[scalar] { return replaced.unicodeScalars.map(classified) }
    if scalar.value == 0x200b { return [.separator] }
    if let mark = LetterMark(scalar) { return [.mark(mark)] }
    if isIgnored(scalar) { return [.ignored] }
    let compatible = String(scalar).precomposedStringWithCompatibilityMapping.lowercased()
    var folded: [FoldedScalar] = []
    for composed in compatible.precomposedStringWithCompatibilityMapping.unicodeScalars {
      if let replaced = replacements[composed] {
        folded += replaced.unicodeScalars.map(classified)
      } else if isDense(composed) || keptWhole.contains(composed) {
        folded.append(classified(composed))
      } else {
        for part in String(composed).decomposedStringWithCanonicalMapping.unicodeScalars {
          let parts = replacements[part].map { Array($0.unicodeScalars) } ?? [part]
          folded += parts.map(classified)
        }
      }
    }
    return folded.isEmpty ? [.ignored] : folded
  }

  private static func classified(_ scalar: Unicode.Scalar) -> FoldedScalar {
    if let mark = LetterMark(scalar) { return .mark(mark) }
    if isIgnored(scalar) { return .ignored }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .decimalNumber:
      // The digits of all scripts are the same digits.
      guard let value = properties.numericValue, let digit = Unicode.Scalar(48 + UInt32(value))
      else { return .separator }
      return .word(digit)
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
      return isDense(scalar) ? .dense(scalar) : .word(scalar)
    default:
      return .separator
    }
  }

  /// Accents, vowel points of Hebrew and Arabic, and what is never shown. Vowels of Indic scripts,
  /// of Thai and its neighbours, and the sound marks of kana are letters in their own right.
  private static func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    if properties.isDefaultIgnorableCodePoint || properties.isVariationSelector { return true }
    switch properties.canonicalCombiningClass.rawValue {
    case 1, 7, 10...36, 200...240: return true
    default: return false
    }
  }

  static func isDense(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0e00...0x0eff, 0x1000...0x109f, 0x1780...0x17ff, 0xaa60...0xaa7f, 0xa9e0...0xa9ff:
      true  // Thai, Lao, Burmese, Khmer
    case 0x1100...0x11ff, 0x3130...0x318f, 0xa960...0xa97f, 0xac00...0xd7ff:
      true  // Hangul
    case 0x3005, 0x3031...0x3035, 0x303b, 0x3041...0x30ff, 0x3105...0x312f, 0x31a0...0x31bf,
      0x31f0...0x31ff:
      true  // kana, bopomofo, iteration marks
    case 0xa000...0xa48f:
      true  // Yi
    default: scalar.properties.isIdeographic
    }
  }

  /// What `LetterMark` makes.
  private static let keptWhole: Set<Unicode.Scalar> = ["й", "ў", "ї"]

  /// Letters that people type in another way and Unicode does not take apart.
  private static let replacements: [Unicode.Scalar: String] = [
    "ß": "ss", "ẞ": "ss", "ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ħ": "h",
    "Ħ": "h", "ŧ": "t", "Ŧ": "t", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "þ": "th", "Þ": "th",
    "ð": "d", "Ð": "d", "ı": "i", "ς": "σ", "ٱ": "ا", "ى": "ي", "ی": "ي", "ة": "ه", "ک": "ك",
    "\u{640}": "\u{34f}",
  ]
}
