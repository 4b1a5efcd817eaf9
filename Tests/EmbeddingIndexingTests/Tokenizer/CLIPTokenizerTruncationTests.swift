import EmbeddingIndexing
import EmbeddingTestSupport
import Testing

@Suite struct CLIPTokenizerTruncationTests {
  private let vocabulary: SmallVocabulary

  init() throws {
    vocabulary = try SmallVocabulary()
  }

  private func encode(_ text: String, contextLength: Int) throws -> CLIPTokenizer.Tokens {
    try vocabulary.tokenizer(contextLength: contextLength).encode(text)
  }

  @Test func theEndTokenStaysWhenATextIsTooLong() throws {
    let tokens = try encode("the dog the cat", contextLength: 4)
    #expect(tokens.ids == [522, 517, 513, 523])
    #expect(tokens.tokenCount == 4)
    #expect(tokens.isTruncated && tokens.cutTokenCount == 2)
    #expect(tokens.cutText == "the cat")
  }

  @Test func aTextThatJustFitsIsNotCut() throws {
    let tokens = try encode("the dog", contextLength: 4)
    #expect(!tokens.isTruncated)
    #expect(tokens.ids.last == 523)
  }

  @Test func theShortestContextHoldsStartAndEnd() throws {
    let tokens = try encode("dog", contextLength: 2)
    #expect(tokens.ids == [522, 523])
    #expect(tokens.cutTokenCount == 1 && tokens.cutText == "dog")
  }

  @Test(arguments: [
    ("The DOG,  the &quot;Cat&quot; \n", 4, ",  the &quot;Cat&quot;"),
    ("the dog &amp; cat", 4, "&amp; cat"),
    ("dogs", 2, "dogs"),
    ("dogcat", 3, "gcat"),
    ("dogcat", 4, "cat"),
    ("dog<|endoftext|>cat", 3, "<|endoftext|>cat"),
    ("ｄｏｇ　ｃａｔ", 3, "ｃａｔ"),
    ("dog\u{1b}[0m cat\u{1b}[1m", 3, "cat"),
    ("dog ﬁ", 4, "ﬁ"),
  ])
  func whatWasCutIsShownAsItWasTyped(
    _ text: String, contextLength: Int, cutText: String
  ) throws {
    let tokens = try encode(text, contextLength: contextLength)
    #expect(tokens.cutText == cutText)
    #expect(tokens.cutText.base == text)
  }

  @Test func aCharacterIsCutAsAWhole() throws {
    // Some of its bytes fit, of the first or of the second of its scalars.
    for contextLength in [5, 8] {
      #expect(try encode("dog 👩‍👧!", contextLength: contextLength).cutText == "👩‍👧!")
    }
    #expect(try encode("e\u{301}", contextLength: 3).cutText == "e\u{301}")
  }

  @Test func whatWasKeptOfWholeWordsEncodesToTheSameIDs() throws {
    let tokenizer = try vocabulary.tokenizer(contextLength: 9)
    let longTokenizer = try vocabulary.tokenizer()
    var generator = SeededGenerator("Cut texts", seed: .random(in: .min ... .max))
    let parts = ["dog ", "The ", "cat! ", " ", "'s\n", "&lt; ", "１０ ", "\u{0}", "“cat”\u{2028}"]
    for _ in 0..<500 {
      let text = (0..<12).compactMap { _ in parts.randomElement(using: &generator) }.joined()
      let tokens = tokenizer.encode(text)
      let kept = tokenizer.encode(String(text[..<tokens.cutText.startIndex]))
      #expect(kept.ids == tokens.ids && !kept.isTruncated, "\(text)")
      #expect(tokens.isTruncated == !tokens.cutText.isEmpty, "\(text)")
      let cut = longTokenizer.encode(String(tokens.cutText))
      #expect(cut.tokenCount - 2 == tokens.cutTokenCount, "\(text)")
    }
  }

  @Test func aLongTextWithoutSpacesIsEncodedInReasonableTime() throws {
    let text = String(repeating: "dogcat", count: 5_000)
    let tokens = try encode(text, contextLength: 77)
    #expect(tokens.cutTokenCount + tokens.tokenCount - 2 == 20_000 - 1)
  }
}
