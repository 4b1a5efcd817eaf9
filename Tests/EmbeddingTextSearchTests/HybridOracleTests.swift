import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingTextSearch

@Suite struct HybridOracleTests {
  private static let vocabulary = [
    "beach", "ocean", "sun", "sunset", "sunny", "dog", "cat", "zürich", "東京", "京都", "大阪", "カメラ",
    "서울", "กรุงเทพ", "москва", "ёлка", "the", "the", "the", "a", "a",
  ]
  private static let labels = ["beach", "ocean", "july", "東京", "long walk", "rare"]

  /// Every answer of the index against one worked out from a list of the same records.
  /// `EMBEDDING_TEST_QUERIES` sets how many there are.
  @Test func everyHybridAnswerIsThatOfTheSlowWay() throws {
    var generator = SeededGenerator("HybridOracleTests", seed: 20_261_130)
    let count = ProcessInfo.processInfo.environment["EMBEDDING_TEST_QUERIES"].flatMap { Int($0) }
    for round in 0..<6 {
      let world = try HybridWorld(
        rowCount: [1, 7, 60, 150, 300, 500][round], hasParts: round % 2 == 1,
        isCompacted: round % 3 == 0, words: Self.vocabulary, labels: Self.labels,
        using: &generator)
      for number in 0..<(count ?? 600) / 6 {
        let query = world.query(Self.vocabulary, Self.labels, using: &generator)
        let found = try world.index.search(query.query)
        let expected = try world.answer(query)
        let isEqual = found == expected
        #expect(isEqual, "round \(round), query \(number): \(query.query)\n\(found)\n\(expected)")
        if !isEqual { return }
      }
      try world.change(Self.vocabulary, using: &generator)
    }
  }

  @Test func thirtyComeBackWhereThirtyExist() throws {
    var generator = SeededGenerator("thirty", seed: 7)
    let store = try EmbeddingStore(inMemory: WordBench.space)
    let july = Date(timeIntervalSince1970: 1_751_328_000)
    var records: [Record] = []
    for number in 0..<2_000 {
      let isWanted = number % 60 == 0 && number < 1_800
      records.append(
        Record(
          key: "k\(number)", vector: RandomVectors.vector(dimension: 4, using: &generator),
          timestamp: july.addingTimeInterval(isWanted ? 86_400 : -86_400),
          labels: number % 3 == 0 ? [number % 2 == 0 ? "beach" : "ocean"] : ["city"],
          text: "photo \(number)"))
    }
    try store.put(records)
    let index = try TextIndex(of: store)
    let filter = Filter(
      timestamps: july..<july.addingTimeInterval(31 * 86_400), labels: [.any(["beach", "ocean"])])
    let vector = RandomVectors.vector(dimension: 4, using: &generator)
    for query in [
      HybridQuery(.vector(vector), count: 30, filter: filter),
      HybridQuery(words: "photo", count: 30, filter: filter),
      HybridQuery(.vector(vector), words: "photo", count: 30, filter: filter),
      HybridQuery(.vector(vector), words: "nothing", count: 30, filter: filter),
    ] {
      let found = try index.search(query)
      #expect(found.count == 30 && Set(found.map(\.key)).count == 30)
    }
  }

  @Test func eachMatchSaysWhereItCameFrom() throws {
    let store = try EmbeddingStore(inMemory: WordBench.space)
    try store.put([
      Record(key: "both", vector: [1, 0, 0, 0], text: "beach"),
      Record(key: "near", vector: [1, 0.1, 0, 0], text: "city"),
      Record(key: "words", vector: [-1, 0, 0, 0], text: "beach beach"),
    ])
    let index = try TextIndex(of: store)
    let found = try index.search(
      HybridQuery(.vector([1, 0, 0, 0]), words: "beach", minimumVectorScore: 0))
    #expect(found.map(\.key) == ["both", "words", "near"])
    #expect(found[0].vector?.rank == 1 && found[0].words?.rank == 2)
    #expect(found[1].vector == nil && found[1].words?.rank == 1)
    #expect(found[2].vector?.rank == 2 && found[2].words == nil)
    #expect(found[0].score == 1.0 / 61 + 1.0 / 62)
    // The row that the search starts from is left out on both sides.
    let like = try index.search(HybridQuery(.key("both"), words: "beach"))
    #expect(like.map(\.key).sorted() == ["near", "words"])
  }
}
