import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// A search finds precisely what brute force in Float64 finds.
@Suite struct ExactSearchTests {
  enum Vectors: String, CaseIterable, Sendable {
    case uniform, clustered, duplicated

    func make(
      _ count: Int, dimension: Int, using generator: inout SeededGenerator
    ) -> [[Float]] {
      switch self {
      case .uniform:
        RandomVectors.uniform(count, dimension: dimension, using: &generator)
      case .clustered:
        RandomVectors.clustered(
          count, clusterCount: 7, dimension: dimension, using: &generator)
      case .duplicated:
        RandomVectors.duplicated(
          count, distinctCount: 9, dimension: dimension, using: &generator)
      }
    }
  }

  @Test(arguments: Vectors.allCases, [EmbeddingSpace.Normalization.unitLength, .none])
  func everyRowIsRankedAsInFloat64(
    vectors: Vectors, normalization: EmbeddingSpace.Normalization
  ) throws {
    var generator = SeededGenerator("everyRowIsRankedAsInFloat64", seed: 5_001)
    for dimension in [1, 3, 8, 33, 128] {
      let space = EmbeddingSpace(
        model: "test", dimension: dimension, normalization: normalization)
      let store = try EmbeddingStore(inMemory: space)
      let rows = vectors.make(300, dimension: dimension, using: &generator)
      try store.put(
        rows.enumerated().map { Record(key: "\($0)", vector: $1, part: UInt16($0 % 3)) })
      for query in vectors.make(3, dimension: dimension, using: &generator) {
        let matches = try store.search(
          Query(.vector(query), count: .max, grouping: .everyPart))
        try expectExact(matches, query, store)
      }
    }
  }

  /// Compares with brute force over the rows as they are stored. Scores may differ by rounding;
  /// the order must be exactly that of the scores given, with ties by key bytes and part.
  private func expectExact(
    _ matches: [Match], _ query: [Float], _ store: EmbeddingStore
  ) throws {
    let isCosine = store.space.normalization == .unitLength
    let length = isCosine ? StoreModel.dot(query, query).squareRoot() : 1
    #expect(Set(matches.map { "\($0.key)/\($0.part)" }).count == matches.count)
    #expect(matches.count == (try store.count()))
    for match in matches {
      let row = try #require(try store.vector(for: match.key, part: match.part))
      var expected = StoreModel.dot(query, row) / length
      if isCosine { expected = min(max(expected, -1), 1) }
      let bound = 1e-6 * (1 + query.count / 8 > 4 ? 4 : 2) * max(1, abs(expected))
      #expect(abs(Double(match.score) - expected) <= bound)
    }
    for (first, second) in zip(matches, matches.dropFirst()) {
      let identities = (
        StoreModel.Identity(first.key, first.part), StoreModel.Identity(second.key, second.part)
      )
      #expect(
        first.score > second.score
          || (first.score == second.score && identities.0 < identities.1))
    }
  }

  // Whole numbers make every product and sum exact, so that brute force gives the very same
  // scores, ties included.
  @Test func rankingsOfWholeNumbersEqualBruteForceBitForBit() throws {
    var generator = SeededGenerator("rankingsOfWholeNumbersEqualBruteForceBitForBit", seed: 5_002)
    for dimension in [2, 8, 65] {
      let space = EmbeddingSpace(model: "test", dimension: dimension, normalization: .none)
      let store = try EmbeddingStore(inMemory: space)
      var model = StoreModel()
      for number in 0..<400 {
        let vector = RandomVectors.integers(dimension: dimension, using: &generator)
        let record = Record(
          key: "\(number / 3)", vector: vector, part: UInt16(number % 3))
        model.put(record)
        try store.put(record)
        if number == 200 { try store.compact() }
      }
      for _ in 0..<5 {
        let query = RandomVectors.integers(dimension: dimension, using: &generator)
        let ranking = model.ranking(for: query)
        for count in [1, 2, 10, 399, 400, 401, 10_000, .max] {
          let all = try store.search(
            Query(.vector(query), count: count, grouping: .everyPart))
          expectEqual(all, ranking.prefix(count))
          let best = try store.search(Query(.vector(query), count: count))
          expectEqual(best, StoreModel.bestPerKey(ranking).prefix(count))
        }
      }
    }
  }

  @Test func tiesAreBrokenByKeyBytesAndThenPart() throws {
    let keys = [
      "B", "a", "aa", "caf\u{e9}", "cafe\u{301}", "z", "\u{10000}", "\u{ffff}", "ab", "a\u{0}",
    ]
    let expected = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for isReversed in [false, true] {
      let store = try EmbeddingStore(inMemory: .small)
      for key in isReversed ? keys.reversed() : keys {
        for part: UInt16 in isReversed ? [2, 0] : [0, 2] {
          try store.put(Record(key: key, vector: axisVector(0), part: part))
        }
      }
      for _ in 0..<2 {
        for count in 1...keys.count + 1 {
          let matches = try store.search(for: axisVector(1), count: count)
          #expect(
            matches.map { Array($0.key.utf8) } == expected.prefix(count).map { Array($0.utf8) })
          #expect(matches.allSatisfy { $0.part == 0 })
        }
        let all = try store.search(
          Query(.vector(axisVector(1)), count: .max, grouping: .everyPart))
        #expect(all.map(\.part) == expected.flatMap { _ in [UInt16(0), 2] })
        try store.compact()
      }
    }
  }

  @Test func pagesAreSlicesOfTheRanking() throws {
    var generator = SeededGenerator("pagesAreSlicesOfTheRanking", seed: 5_003)
    let store = try EmbeddingStore(inMemory: .small)
    let rows = RandomVectors.duplicated(
      200, distinctCount: 30, dimension: 8, using: &generator)
    try store.put(
      rows.enumerated().map { Record(key: "\($0 / 2)", vector: $1, part: UInt16($0 % 2)) })
    let query = RandomVectors.vector(dimension: 8, using: &generator)
    for grouping in [Query.Grouping.bestPartPerKey, .everyPart] {
      let all = try store.search(Query(.vector(query), count: .max, grouping: grouping))
      for (count, offset) in [(1, 0), (7, 7), (10, 95), (50, 99), (100, 100), (3, 500), (1, 199)] {
        let page = try store.search(
          Query(.vector(query), count: count, offset: offset, grouping: grouping))
        #expect(page == Array(all.dropFirst(offset).prefix(count)))
      }
    }
  }

  @Test func aMinimumScoreCutsTheRanking() throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<100))
    try store.put(Record(key: "same", vector: axisVector(0)))
    let all = try store.search(for: axisVector(0), count: .max)
    for minimum in all.map(\.score) + [-2, -1, 0, 1, 1.5, .infinity, -.infinity] {
      let found = try store.search(
        Query(.vector(axisVector(0)), count: .max, minimumScore: minimum))
      #expect(found == all.filter { $0.score >= minimum })
      let page = try store.search(
        Query(.vector(axisVector(0)), count: 3, offset: 2, minimumScore: minimum))
      #expect(page == Array(found.dropFirst(2).prefix(3)))
    }
  }

  @Test func moreLikeThisLeavesOutEveryPartOfItsOwnKey() throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<30))
    try store.put([
      Record(key: "k3", vector: axisVector(3), part: 1),
      Record(key: "k3", vector: RandomVectors.vector(number: 3, dimension: 8), part: 2),
      Record(key: "twin", vector: RandomVectors.vector(number: 3, dimension: 8)),
    ])
    for _ in 0..<2 {
      let all = try store.search(
        Query(.key("k3"), count: .max, grouping: .everyPart))
      #expect(all.count == 30)
      #expect(!all.contains { $0.key == "k3" })
      #expect(all.first?.key == "twin")
      let vector = try #require(try store.vector(for: "k3"))
      let scores = try store.search(Query(.vector(vector), count: .max)).filter { $0.key != "k3" }
      #expect(scores.map(\.key) == all.map(\.key))
      let other = try store.search(like: "k3", part: 1, count: 1, filter: Filter(keys: ["k3"]))
      #expect(other == [])
      try store.compact()
    }
  }

  private func expectEqual(
    _ matches: [Match], _ expected: some Sequence<StoreModel.Scored>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      matches.map { StoreModel.Identity($0.key, $0.part) } == expected.map(\.identity),
      sourceLocation: sourceLocation)
    #expect(
      matches.map { Double($0.score) } == expected.map(\.score), sourceLocation: sourceLocation)
  }
}
