import EmbeddingIndexing
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Files that are not what they should be are typed errors that name the file, and never a trap.
@Suite struct CLIPTokenizerVocabularyTests {
  private func expectRefusal(
    _ code: StoreError.Code, of url: URL, sourceLocation: SourceLocation = #_sourceLocation,
    by load: () throws -> CLIPTokenizer
  ) {
    do {
      _ = try load()
      Issue.record("The file was accepted.", sourceLocation: sourceLocation)
    } catch let error as StoreError {
      #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
      #expect(
        error.path.map { URL(filePath: $0).lastPathComponent } == url.lastPathComponent,
        sourceLocation: sourceLocation)
      #expect(error.message.last == "." || code == .inputOutput, sourceLocation: sourceLocation)
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
  }

  @Test func aMissingFileIsNotFound() throws {
    let vocabulary = try SmallVocabulary()
    let missing = vocabulary.directory.url.appending(path: "missing.txt")
    expectRefusal(.notFound, of: missing) { try CLIPTokenizer(vocabularyAt: missing) }
    expectRefusal(.notFound, of: missing) {
      try CLIPTokenizer(vocabularyAt: missing, mergesAt: vocabulary.mergesURL)
    }
    expectRefusal(.notFound, of: missing) {
      try CLIPTokenizer(vocabularyAt: vocabulary.vocabularyURL, mergesAt: missing)
    }
  }

  @Test func aDirectoryOrAnAddressIsRefused() throws {
    let directory = try TemporaryDirectory()
    expectRefusal(.invalidVocabulary, of: directory.url) {
      try CLIPTokenizer(vocabularyAt: directory.url)
    }
    let address = try #require(URL(string: "https://example.org/vocab.json"))
    expectRefusal(.invalidArgument, of: address) { try CLIPTokenizer(vocabularyAt: address) }
  }

  @Test(arguments: [Int.min, -1, 0, 1, 65_537, .max])
  func aContextLengthOfNoSenseIsRefused(_ contextLength: Int) throws {
    let vocabulary = try SmallVocabulary()
    let error = #expect(throws: StoreError.self) {
      try vocabulary.tokenizer(contextLength: contextLength)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func lineEndsOfWindowsAreTheSame() throws {
    let text = "the dog's cat"
    let windows = try SmallVocabulary(lineEnd: "\r\n").tokenizer().encode(text)
    #expect(windows == (try SmallVocabulary().tokenizer().encode(text)))
  }

  @Test func aMergeMayBeListedTwice() throws {
    let twice = SmallVocabulary.merges + ["d o", "ca t</w>"]
    let tokens = try SmallVocabulary(merges: twice).tokenizer().encode("dog cat")
    #expect(tokens.ids.prefix(4) == [522, 513, 515, 523])
  }

  @Test(arguments: [
    "", "\n", "no version\nd o\n", "#version: 0.2\n", "#version: 0.2\nd o\nca\n",
    "#version: 0.2\nd o g\n", "#version: 0.2\n\nd o\n", "#version: 0.2\nd o\n\u{fffd} x</w>\n",
  ])
  func aListOfOtherThingsThanMergesIsRefused(_ content: String) throws {
    let vocabulary = try SmallVocabulary()
    try content.write(to: vocabulary.mergesURL, atomically: false, encoding: .utf8)
    expectRefusal(.invalidVocabulary, of: vocabulary.mergesURL) { try vocabulary.tokenizer() }
  }

  @Test func mergesCutShortAnywhereAreRefused() throws {
    let vocabulary = try SmallVocabulary()
    let whole = try Data(contentsOf: vocabulary.mergesURL)
    for length in 0..<whole.count - 1 {
      try whole.prefix(length).write(to: vocabulary.mergesURL)
      expectRefusal(.invalidVocabulary, of: vocabulary.mergesURL) { try vocabulary.tokenizer() }
    }
    // Only the last line's end is missing.
    try whole.dropLast().write(to: vocabulary.mergesURL)
    #expect(try vocabulary.tokenizer().encode("dog").ids[1] == 513)
  }

  @Test func aVocabularyCutShortIsRefused() throws {
    let vocabulary = try SmallVocabulary()
    let whole = try Data(contentsOf: vocabulary.vocabularyURL)
    for length in stride(from: 0, to: whole.count, by: 97) {
      try whole.prefix(length).write(to: vocabulary.vocabularyURL)
      expectRefusal(.invalidVocabulary, of: vocabulary.vocabularyURL) {
        try vocabulary.tokenizer()
      }
    }
  }

  @Test(arguments: [
    "[]", "{}", "{\"a\": \"b\"}", "{\"a\": 1.5}", "{\"a\": 4294967296}", "null", "\u{0}",
  ])
  func somethingElseThanAVocabularyIsRefused(_ content: String) throws {
    let vocabulary = try SmallVocabulary()
    try content.write(to: vocabulary.vocabularyURL, atomically: false, encoding: .utf8)
    expectRefusal(.invalidVocabulary, of: vocabulary.vocabularyURL) { try vocabulary.tokenizer() }
  }

  @Test func aVocabularyOfAnotherModelIsRefused() throws {
    let changes: [(String, (inout [String: Int]) -> Void)] = [
      ("vocab.json", { $0["<|startoftext|>"] = nil }),
      ("vocab.json", { $0["<|endoftext|>"] = nil }),
      ("vocab.json", { $0["!"] = nil }),
      ("vocab.json", { $0["Ń</w>"] = nil }),
      ("vocab.json", { $0["do"] = $0["ca"] }),
      ("vocab.json", { $0["do"] = -1 }),
      ("merges.txt", { $0["do"] = nil }),
      ("merges.txt", { $0["photo</w>"] = 700 }),
    ]
    for (file, change) in changes {
      let vocabulary = try SmallVocabulary(changing: change)
      expectRefusal(.invalidVocabulary, of: vocabulary.directory.url.appending(path: file)) {
        try vocabulary.tokenizer()
      }
    }
  }

  @Test func tokensBesideTheMergesAreAllowed() throws {
    let vocabulary = try SmallVocabulary { $0["<|pad|>"] = 600 }
    #expect(try vocabulary.tokenizer().vocabularySize == 525)
  }

  @Test func aFileOfAllMergesNumbersTheTokensByItsLines() throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: "vocabulary.txt")
    let merges = SmallVocabulary.mergesOfFullCount
    // The distributed file goes on behind what is used.
    try SmallVocabulary.lines(merges + ["x y</w>", "not used"]).write(
      to: file, atomically: false, encoding: .utf8)
    let tokenizer = try CLIPTokenizer(vocabularyAt: file)
    #expect(tokenizer.encode("the dog").ids.prefix(4) == [49_406, 517, 513, 49_407])
    #expect(tokenizer.startID == 49_406 && tokenizer.endID == 49_407)

    try SmallVocabulary.lines(merges.dropLast()).write(to: file, atomically: false, encoding: .utf8)
    expectRefusal(.invalidVocabulary, of: file) { try CLIPTokenizer(vocabularyAt: file) }
  }

  @Test func theMergesOfATokenizerWithoutWordEndsAreRefused() throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: "merges.txt")
    let merges = SmallVocabulary.mergesOfFullCount.map { $0.replacing("</w>", with: "") }
    try SmallVocabulary.lines(merges).write(to: file, atomically: false, encoding: .utf8)
    expectRefusal(.invalidVocabulary, of: file) { try CLIPTokenizer(vocabularyAt: file) }
  }

  @Test func aDamagedCompressedFileIsRefused() throws {
    let vocabulary = try SmallVocabulary()
    let plain = try vocabulary.tokenizer()
    // The same merges, compressed by gzip.
    let whole = try #require(
      Data(
        base64Encoded: "H4sIAAAAAAACA1MuSy0qzszPs1Iw0DPiSlHI50rJV0i30S+340pWSORK"
          + "TlQoAXNKFDK4SjIUUsEcdYViMG2oYMCVo5ADFcuBMADjZ8O1UgAAAA=="))
    try whole.write(to: vocabulary.mergesURL)
    #expect(try vocabulary.tokenizer().encode("the dog's") == plain.encode("the dog's"))

    var damaged: [Data] = (2..<whole.count).map { whole.prefix($0) }
    // Behind the header, which holds a time and other things that do not matter.
    damaged += whole.indices.dropFirst(10).map { index in
      var copy = whole
      copy[index] ^= 0x10
      return copy
    }
    for content in damaged {
      try content.write(to: vocabulary.mergesURL)
      expectRefusal(.invalidVocabulary, of: vocabulary.mergesURL) { try vocabulary.tokenizer() }
    }
  }
}
