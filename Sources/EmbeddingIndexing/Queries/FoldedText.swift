internal import Foundation

/// A text as a phrase table compares it, together with the text as it was written.
///
/// Two texts are the same phrase when their `scalars` are equal. Case, accents, width, presentation
/// forms and kinds of white space make no difference, and neither does the platform: Foundation's
/// own folding lets half-width voiced kana, Arabic vowel marks and the Turkish dotless i differ.
struct FoldedText {
  /// The characters as written, but for white space: a run of it is one space.
  private(set) var characters: [Character] = []
  /// The folded characters, one after the other.
  private(set) var scalars: [Unicode.Scalar] = []
  /// Where each character's scalars start, and where the last one's end.
  private var starts = [0]

  init(_ text: some StringProtocol) {
    for character in text {
      let isSpace = character.isWhitespace
      if isSpace, characters.last == " " { continue }
      characters.append(isSpace ? " " : character)
      scalars += isSpace ? [" "] : Self.fold(character)
      starts.append(scalars.count)
    }
  }

  /// The folded form of one character; a character that is only a mark has none.
  func scalars(at index: Int) -> ArraySlice<Unicode.Scalar> {
    scalars[starts[index]..<starts[index + 1]]
  }

  private static func fold(_ character: Character) -> [Unicode.Scalar] {
    if let byte = character.asciiValue {
      return [Unicode.Scalar(65...90 ~= byte ? byte + 32 : byte)]
    }
    return String(character).decomposedStringWithCompatibilityMapping.unicodeScalars
      .filter { !isInsignificant($0) }
      .flatMap(foldCase)
  }

  /// Lower, upper and lower again: both ß and ẞ become ss, both sigmas σ, and the dotless ı i.
  private static func foldCase(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    scalar.properties.lowercaseMapping.unicodeScalars
      .flatMap { $0.properties.uppercaseMapping.unicodeScalars }
      .flatMap { $0.properties.lowercaseMapping.unicodeScalars }
  }

  /// Whether a decomposed text reads the same without the scalar: accents (combining classes from
  /// 200 on), Hebrew and Arabic points (10 to 36), the Arabic stretch, what is not displayed, and
  /// the space that carries an accent without a letter.
  ///
  /// Marks of other classes are letters to their readers: vowels and tones of Thai and Lao, kana
  /// voicing, Indic vowel killers.
  private static func isInsignificant(_ scalar: Unicode.Scalar) -> Bool {
    let combiningClass = scalar.properties.canonicalCombiningClass.rawValue
    return combiningClass >= 200 || 10...36 ~= combiningClass || scalar == "\u{640}"
      || scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isWhitespace
  }
}
