import Testing

@testable import EmbeddingIndexing

/// What the tokenizer knows of Unicode by itself must be what the standard library knows.
@Suite struct CLIPTokenizerTablesTests {
  private static let scalars = (UInt32(0)...0x10ffff).compactMap(Unicode.Scalar.init)

  @Test func whiteSpaceIsUnicodes() {
    let wrong = Self.scalars.filter { $0.isWhiteSpace != $0.properties.isWhitespace }
    #expect(wrong.isEmpty)
  }

  @Test func noLetterThatHasALowerCaseIsTakenForOneThatHasNone() {
    let wrong = Self.scalars.filter { scalar in
      guard scalar.properties.changesWhenLowercased else { return false }
      let lowercased = Lowercasing.lowercased([TracedScalar](String(scalar)))
      return !lowercased.map(\.value).elementsEqual(
        scalar.properties.lowercaseMapping.unicodeScalars)
    }
    #expect(wrong.isEmpty)
  }

  /// Swift takes strings for equal that are the same letters, composed or not.
  @Test func everyScalarEqualsWhatItDecomposesInto() {
    var count = 0
    for scalar in Self.scalars where scalar.properties.generalCategory != .unassigned {
      guard let parts = CanonicalMappings.decomposition(of: scalar) else { continue }
      count += 1
      let decomposed = parts.reduce(into: "") { $0.unicodeScalars.append($1) }
      #expect(decomposed == String(scalar))
      if parts.count == 2, let composite = CanonicalMappings.composite(of: parts[0], parts[1]) {
        #expect(composite == scalar)
      }
    }
    #expect(count > 13_000)
  }

  @Test func everyNameOfTheStandardIsThere() {
    #expect(NamedCharacters.characters(named: "amp") == "&")
    #expect(NamedCharacters.characters(named: "NotEqualTilde") == "\u{2242}\u{338}")
    #expect(NamedCharacters.openBeginning(of: "notit")?.characters == "\u{ac}")
    #expect(NamedCharacters.openBeginning(of: "hearts") == nil)
    #expect(NamedCharacters.table.split(whereSeparator: \.isWhitespace).count == 2_125)
  }
}
