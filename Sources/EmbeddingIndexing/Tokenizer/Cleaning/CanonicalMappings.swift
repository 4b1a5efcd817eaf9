/// Which scalars are composed of which others (Unicode's canonical mappings).
///
/// Their own copy: the standard library's is not public, and Foundation's on Linux neither composes
/// a Hangul syllable with a final consonant nor tells scalars beyond U+FFFF from others.
enum CanonicalMappings {
  /// The one or two scalars that a scalar is the same as, or nil.
  static func decomposition(of scalar: Unicode.Scalar) -> [Unicode.Scalar]? {
    hangulDecomposition(of: scalar) ?? all.decompositions[scalar.value]
  }

  /// The scalar that is the same as two, or nil.
  static func composite(of first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
    hangulComposite(of: first.value, second.value) ?? all.composites[key(first, second)]
  }

  private static let all:
    (
      decompositions: [UInt32: [Unicode.Scalar]], composites: [UInt64: Unicode.Scalar]
    ) = {
      var decompositions: [UInt32: [Unicode.Scalar]] = [:]
      var composites: [UInt64: Unicode.Scalar] = [:]
      for entry in table.split(whereSeparator: \.isWhitespace) {
        let scalars = entry.split(whereSeparator: { $0 == ":" || $0 == "!" || $0 == "+" })
          .compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) }
        guard let composite = scalars.first else { continue }
        decompositions[composite.value] = Array(scalars.dropFirst())
        if scalars.count == 3, entry.contains(":") {
          composites[key(scalars[1], scalars[2])] = composite
        }
      }
      return (decompositions, composites)
    }()

  private static func key(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> UInt64 {
    UInt64(first.value) << 32 | UInt64(second.value)
  }
}

// MARK: - Hangul

/// Syllables are numbered by their consonants and vowel (the Unicode Standard, section 3.12).
extension CanonicalMappings {
  private static let leads: Range<UInt32> = 0x1100..<0x1113
  private static let vowels: Range<UInt32> = 0x1161..<0x1176
  /// The first of them stands for none.
  private static let finals: Range<UInt32> = 0x11a7..<0x11c3
  private static let syllables: Range<UInt32> = 0xac00..<0xd7a4

  private static func hangulDecomposition(of scalar: Unicode.Scalar) -> [Unicode.Scalar]? {
    guard syllables.contains(scalar.value) else { return nil }
    let number = scalar.value - syllables.lowerBound
    let (open, final) = number.quotientAndRemainder(dividingBy: UInt32(finals.count))
    let (lead, vowel) = open.quotientAndRemainder(dividingBy: UInt32(vowels.count))
    let parts =
      final == 0
      ? [leads.lowerBound + lead, vowels.lowerBound + vowel]
      : [scalar.value - final, finals.lowerBound + final]
    return parts.compactMap(Unicode.Scalar.init)
  }

  private static func hangulComposite(of first: UInt32, _ second: UInt32) -> Unicode.Scalar? {
    if leads.contains(first), vowels.contains(second) {
      let open =
        (first - leads.lowerBound) * UInt32(vowels.count) + second - vowels.lowerBound
      return Unicode.Scalar(syllables.lowerBound + open * UInt32(finals.count))
    }
    if syllables.contains(first), finals.dropFirst().contains(second),
      (first - syllables.lowerBound).isMultiple(of: UInt32(finals.count))
    {
      return Unicode.Scalar(first + second - finals.lowerBound)
    }
    return nil
  }
}
