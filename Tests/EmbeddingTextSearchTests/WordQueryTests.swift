import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingTextSearch

@Suite struct WordQueryTests {
  @Test(arguments: [
    "AND", "OR", "NOT", "NEAR(a b)", "text:apple", "{text}: apple", "^apple", "a + b", "(", ")",
    "((",
    "\"", "\"\"", "\"\"\"", "'", "''", "*", "**", "\"*", "-apple", "apple AND", "rank MATCH 'x'",
    "\u{0}", "apple\u{0}banana", "; DROP TABLE words", "\\\"", "\u{fffd}", "\u{e000}", "a:b:c",
    "\" OR \"",
    "words", "%", "_", "?1", "\u{200b}", "\u{301}", "\u{3099}", "🏖️", "\r\n\t", "\u{feff}",
    "\u{10ffff}",
  ])
  func noInputIsAnErrorOrMoreThanWords(_ text: String) throws {
    let bench = try WordBench(["x": "something else entirely"])
    let index = try TextIndex(of: bench.store)
    for suffix in ["", " something", "*", " \"else"] {
      for matching in [WordQuery.Matching.all, .any] {
        for fields in [WordQuery.Fields.textAndLabels, .text, .labels] {
          let words = WordQuery(text + suffix, matching: matching, fields: fields)
          _ = try index.search(words: words, snippetLength: 10)
        }
      }
    }
    #expect(try index.keys("something") == ["x"])
  }

  @Test func operatorsAreWordsLikeAnyOther() throws {
    let bench = try WordBench(["and": "this AND that", "or": "this or that", "near": "near miss"])
    let index = try TextIndex(of: bench.store)
    #expect(try index.keys("AND") == ["and"] && index.keys("this OR that") == ["or"])
    #expect(try index.keys("NEAR(miss)") == ["near"] && index.keys("NOT") == [])
    #expect(try index.keys("text:this") == [])
  }

  @Test func unpairedSurrogatesAreNoWords() throws {
    let lone = String(decoding: [0xd800, 0x61, 0xdfff] as [UInt16], as: UTF16.self)
    let bench = try WordBench(["x": "a b", "y": lone])
    let index = try TextIndex(of: bench.store)
    #expect(try index.keys(WordQuery(lone)) == ["x", "y"])
  }

  @Test func textsOfAnyContentAreIndexedAndFound() throws {
    let lone = String(decoding: [0x61, 0xd800, 0x62] as [UInt16], as: UTF16.self)
    let bench = try WordBench([
      "nul": "before\u{0}after", "operators": "\"NEAR(a b)\" AND NOT text:x* OR ^rank",
      "surrogate": lone, "private": "one \u{e000} two", "symbols": "'; DROP TABLE words; -- 🏖️",
      "long": String(repeating: "y", count: 200_000), "empty": "",
    ])
    let index = try TextIndex(of: bench.store)
    #expect(try index.keys("after") == ["nul"] && index.keys("\"before after\"") == ["nul"])
    #expect(try index.keys("near rank") == ["operators"])
    #expect(try index.keys("a b") == ["operators", "surrogate"])
    #expect(try index.keys("\"one two\"") == ["private"] && index.keys("drop") == ["symbols"])
    #expect(try index.keys("yyy*") == ["long"] && index.keys("yyy") == [])
    #expect(try index.isIntact())
    try bench.store.removeAll()
    #expect(try index.keys("a") == [] && index.isIntact())
  }

  @Test func whatIsTooLongToBeMeantIsATypedError() throws {
    let index = try TextIndex(of: try WordBench(["x": "a b"]).store)
    for text in [
      String(repeating: "a", count: 10 << 20), String(repeating: "東", count: 3 << 20),
      String(repeating: "w ", count: 1_025), String(repeating: "東京", count: 520),
    ] {
      let error = #expect(throws: StoreError.self) { try index.search(words: WordQuery(text)) }
      #expect(error?.code == .limitExceeded)
    }
    // The most that is allowed is searched for.
    for text in [
      String(repeating: "b ", count: 1_024), String(repeating: "\"a b\" ", count: 512),
      String(repeating: "a* ", count: 1_024),
    ] {
      #expect(try index.keys(WordQuery(text)) == ["x"])
      #expect(try index.keys(WordQuery(text, matching: .any)) == ["x"])
    }
    #expect(try index.keys(WordQuery(String(repeating: "東京", count: 500))) == [])
  }

  @Test func noWordsFindNothingAndNeitherSideIsAnError() throws {
    let index = try TextIndex(of: try WordBench(["x": "a b"]).store)
    for text in ["", " ", "...", "\"\"", "*"] { #expect(try index.keys(WordQuery(text)) == []) }
    for query in [
      HybridQuery(), HybridQuery(words: "a", count: 0), HybridQuery(words: "a", offset: -1),
      HybridQuery(words: "a", fusion: Fusion(vectorWeight: -1)),
      HybridQuery(words: "a", fusion: Fusion(.reciprocalRank(constant: .nan))),
    ] {
      let error = #expect(throws: StoreError.self) { try index.search(query) }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func theLargestCountsAreNoTrouble() throws {
    let index = try TextIndex(of: try WordBench(["x": "a b", "y": "a"]).store)
    let vector = Query.Target.vector([1, 0, 0, 0])
    for target in [nil, vector] {
      let all = HybridQuery(target, words: "a", count: .max, fusion: Fusion(depth: .max))
      #expect(try index.search(all).count == 2)
      #expect(try index.search(HybridQuery(target, words: "a", count: .max, offset: .max)) == [])
    }
    let lowest = HybridQuery(vector, words: "a", count: 1, fusion: Fusion(depth: .min))
    #expect(try index.search(lowest).count == 1)
  }

  @Test func labelsAreFoundOneByOne() throws {
    let bench = try WordBench()
    try bench.store.put([
      WordBench.record("a", "sunset", labels: ["long beach", "sandy"]),
      WordBench.record("b", nil, labels: ["beach"]), WordBench.record("c", "beach"),
    ])
    let index = try TextIndex(of: bench.store)
    #expect(try index.keys("beach") == ["a", "b", "c"])
    #expect(try index.keys(WordQuery("beach", fields: .labels)) == ["a", "b"])
    #expect(try index.keys(WordQuery("beach", fields: .text)) == ["c"])
    #expect(try index.keys("\"long beach\"") == ["a"] && index.keys("\"beach sandy\"") == [])
    #expect(try index.keys("sunset beach") == ["a"])
  }

  @Test func labelsOfAnyLengthAreIndexedOrRefusedByTheStore() throws {
    let bench = try WordBench()
    let long = String(repeating: "x", count: 65_530)
    let refused = #expect(throws: StoreError.self) {
      try bench.store.put(
        WordBench.record("a", "apple", labels: [String(repeating: "x", count: 70_000)]))
    }
    #expect(refused?.code == .limitExceeded)
    try bench.store.put(WordBench.record("b", "banana", labels: [long]))
    let index = try TextIndex(of: bench.store)
    #expect(try index.keys("banana") == ["b"])
    #expect(try index.keys(WordQuery(long)) == ["b"])
    #expect(try index.keys(WordQuery(String(long.dropLast()))) == [])
    #expect(
      try index.keys(WordQuery(String(repeating: "x", count: 200), completesLastWord: true)) == [
        "b"
      ])
  }

  @Test func theLastWordMayBeBegunOnly() throws {
    let index = try TextIndex(of: try WordBench(["a": "sunflower field", "b": "sun"]).store)
    #expect(try index.keys("sun") == ["b"] && index.keys("sun*") == ["a", "b"])
    #expect(try index.keys(WordQuery("field sunf", completesLastWord: true)) == ["a"])
    #expect(try index.keys("\"sunflower fie\"*") == ["a"] && index.keys("fie* sunflower") == ["a"])
    #expect(try index.keys("\"sunflower fie\"") == [] && index.keys("*flower") == [])
    #expect(try index.keys(WordQuery("flower banana sun", matching: .any)) == ["b"])
  }

  @Test func snippetsShowTheWordsInTheirContext() throws {
    let filler = String(repeating: "lorem ipsum ", count: 50)
    let bench = try WordBench([
      "a": filler + "the Éléphant walks, two elephants " + filler, "b": "東京タワーは東京にある",
    ])
    let index = try TextIndex(of: bench.store)
    let snippet = try #require(
      try index.search(words: "elephant*", snippetLength: 40).first?.snippet)
    #expect(snippet.ranges.map { snippet.text[$0] } == ["Éléphant", "elephants"])
    #expect(snippet.text.count == 40 && snippet.isCut == (true, true))
    let whole = try #require(try index.search(words: "東京", snippetLength: 40).first?.snippet)
    #expect(whole.text == "東京タワーは東京にある" && whole.isCut == (false, false))
    #expect(whole.ranges.map { whole.text[$0] } == ["東京", "東京"])
    let single = try TextIndex.ranges(of: "京", in: "東京タワー")
    #expect(single.map { "東京タワー"[$0] } == ["京"])
    for length in [-5, 0, 1, 2, 7, 10_000, .max] {
      for words in ["elephant", "ipsum lorem", "a タ*", "\"the elephant\""] {
        for match in try index.search(
          words: WordQuery(words, matching: .any), snippetLength: length)
        {
          let snippet = try #require(match.snippet)
          #expect(!snippet.ranges.isEmpty || length < 2)
          #expect(snippet.ranges.allSatisfy { !snippet.text[$0].isEmpty })
        }
      }
    }
  }
}
