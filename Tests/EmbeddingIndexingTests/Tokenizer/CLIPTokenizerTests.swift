import EmbeddingIndexing
import Testing

@Suite struct CLIPTokenizerTests {
  private let tokenizer: CLIPTokenizer
  private let vocabulary: SmallVocabulary

  init() throws {
    vocabulary = try SmallVocabulary()
    tokenizer = try vocabulary.tokenizer(contextLength: 12)
  }

  /// The ids of the text alone.
  private func ids(_ text: String) -> [Int32] {
    let tokens = tokenizer.encode(text)
    return Array(tokens.ids[1..<tokens.tokenCount - 1])
  }

  private func byte(_ byte: UInt8, endsWord: Bool = false) -> Int32 {
    let printable = Array(0x21...0x7e) + Array(0xa1...0xac) + Array(0xae...0xff)
    let others = (0...255).filter { !printable.contains($0) }
    let position = (printable + others).firstIndex(of: Int(byte)) ?? -1
    return Int32(position + (endsWord ? 256 : 0))
  }

  private func bytes(of word: String) -> [Int32] {
    word.utf8.enumerated().map { byte($1, endsWord: $0 == word.utf8.count - 1) }
  }

  private let dog: Int32 = 513, cat: Int32 = 515, the: Int32 = 517, s: Int32 = 518

  @Test func aTextIsFramedByStartAndEndAndPaddedWithZeros() {
    let tokens = tokenizer.encode("the dog")
    #expect(tokens.ids == [522, the, dog, 523, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(tokens.tokenCount == 4)
    #expect(!tokens.isTruncated && tokens.cutTokenCount == 0 && tokens.cutText.isEmpty)
    #expect(tokenizer.startID == 522 && tokenizer.endID == 523)
    #expect(tokenizer.vocabularySize == 524 && tokenizer.contextLength == 12)
  }

  @Test(arguments: ["", " ", "\n\t", "\u{0}", "\u{feff}"])
  func aTextOfNothingIsStartAndEnd(_ text: String) {
    #expect(tokenizer.encode(text).tokenCount == 2)
    #expect(ids(text).isEmpty)
  }

  @Test func caseAndWhiteSpaceMakeNoDifference() {
    #expect(ids("  THE\n\u{2003}Dog ") == [the, dog])
  }

  @Test func aWordAndThePunctuationBehindItAreTwo() {
    #expect(ids("dog,cat") == [dog, byte(0x2c, endsWord: true), cat])
  }

  @Test func digitsAreSingle() {
    #expect(ids("10") == [byte(0x31, endsWord: true), byte(0x30, endsWord: true)])
  }

  @Test func anEnglishEndingIsAWord() {
    #expect(ids("dog's") == [dog, s])
    #expect(ids("dog’ll") == [dog, 521])
    #expect(ids("!'s") == bytes(of: "!'") + bytes(of: "s"))
  }

  @Test(arguments: ["猫", "сад", "é", "ไทย", "🐶", "🇩🇪", "\u{10ffff}"])
  func anyScriptIsEncodedByItsBytes(_ text: String) {
    #expect(ids(text) == bytes(of: text))
  }

  @Test func neighboursAreJoinedInTheOrderOfTheMerges() throws {
    let merges = ["b c", "a b", "bc d", "a bc", "a a", "e x</w>"]
    let vocabulary = try SmallVocabulary(merges: merges)
    let tokenizer = try vocabulary.tokenizer()
    let ids = { (text: String) in Array(tokenizer.encode(text).ids.dropFirst().prefix(4)) }
    // "b" and "c" are joined first, so that "a b" is gone when its turn comes, and "a bc" is later
    // than "bc d".
    #expect(ids("abcdex") == [byte(0x61), 514, 517, tokenizer.endID])
    #expect(ids("abcex") == [515, 517, tokenizer.endID, 0])
    #expect(ids("aaaaa") == [516, 516, byte(0x61, endsWord: true), tokenizer.endID])
  }

  @Test func aNeighbourOfRepeatedLettersIsStillJoined() throws {
    let vocabulary = try SmallVocabulary(merges: ["a a", "b c", "a bc", "e x</w>"])
    let tokenizer = try vocabulary.tokenizer()
    #expect(tokenizer.encode("aaabcex").ids[1...4] == [512, 514, 515, tokenizer.endID])
  }

  @Test func composedAndDecomposedLettersAreTheSame() {
    #expect(ids("e\u{301}") == ids("\u{e9}"))
    #expect(ids("\u{1112}\u{1161}\u{11ab}") == ids("\u{d55c}"))
    #expect(ids("\u{d558}\u{11ab}") == ids("\u{d55c}"))
    #expect(ids("q\u{323}\u{307}") == ids("q\u{307}\u{323}"))
    // The mark between is of the same class and blocks the composition.
    #expect(ids("a\u{30b}\u{301}") == bytes(of: "a") + bytes(of: "\u{30b}\u{301}"))
  }

  @Test func aMarkBesideALetterBeyondTheBasicPlaneIsLeftAlone() {
    // U+10395 cut to 16 bits is a Greek letter that can be composed with this mark.
    #expect(ids("\u{10395}\u{314}") == bytes(of: "\u{10395}") + bytes(of: "\u{314}"))
  }

  @Test func characterReferencesStandForTheirCharacters() {
    #expect(ids("&#100;&#x6F;g") == [dog])
    #expect(ids("&amp;amp;#100;og") == [dog])
    #expect(ids("&eacute;") == ids("é"))
    #expect(ids("&EACUTE;") == ids("é"))
    #expect(ids("cat&amp") == [cat] + bytes(of: "&"))
    #expect(ids("a&b") == ids("a & b"))
    #expect(ids("&unknown;") == ids("& unknown ;"))
    #expect(ids("&#xffffffffffffff;") == ids("\u{fffd}"))
  }

  @Test func textThatWasEscapedOftenIsReadInReasonableTime() {
    let text = "&" + String(repeating: "amp;", count: 20_000)
    #expect(ids(text) == bytes(of: "&"))
  }

  @Test func legacyFormsAreTheSameAsUsualOnes() {
    #expect(ids("ｄｏｇ　ＣＡＴ") == [dog, cat])
    #expect(ids("\u{fb01}") == ids("fi"))
    #expect(ids("ｶﾞ") == ids("ガ"))
    #expect(ids("\u{1b}[31mdog\u{1b}[0m") == [dog])
    #expect(ids("do\u{0}g\u{feff}") == [dog])
    #expect(ids("“") == ids("\""))
    #expect(ids("\u{80}") == ids("€"))
  }

  @Test func aSigmaAtTheEndOfAWordHasItsOwnForm() {
    #expect(ids("ΟΔΟΣ") == ids("οδος"))
    #expect(ids("ΣΑΣ Σ") == ids("σας σ"))
  }

  @Test func specialTokensInATextAreThemselves() {
    #expect(ids("<|StartOfText|>dog<|endoftext|>") == [522, dog, 523])
    #expect(ids("<|dog|>") == bytes(of: "<|") + [dog] + bytes(of: "|>"))
  }
}
