import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Bugs that users reported of other vector stores, about what a search finds. Each test names its
/// report (see the bug log); none of them may happen here.
@Suite struct ReportedSearchTests {
  // USearch #393, #640: asking for about as many matches as there are, or more, gave keys that do
  // not exist.
  @Test(arguments: [64, 65, 66, 100, 1_000_000, Int.max])
  func askingForMoreThanThereIsGivesWhatThereIs(count: Int) throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<65))
    let keys = try store.search(for: axisVector(0), count: count).map(\.key)
    #expect(keys.count == min(count, 65))
    #expect(Set(keys).count == keys.count)
    #expect(Set(keys).isSubset(of: Set((0..<65).map { "k\($0)" })))
  }

  // faiss PR 3075: the best match in an empty index was the label 0.
  // pg_embedding #2; VectorSimilarity #22: a query on an empty or emptied index crashed.
  @Test func anEmptyOrEmptiedStoreHasNoMatches() throws {
    let directory = try TemporaryDirectory()
    func expectNoMatches(_ store: EmbeddingStore) throws {
      #expect(try store.search(for: axisVector(0), count: 1) == [])
      #expect(try store.search(for: [axisVector(0), axisVector(1)], count: .max) == [[], []])
      #expect(
        try store.search(for: axisVector(0), filter: Filter(labels: [.none(["a"])])) == [])
      #expect(try store.keys() == [])
      #expect(try store.rows(changedSince: 0) == [])
    }
    var store: EmbeddingStore? = try EmbeddingStore(at: directory.store(), space: .small)
    try expectNoMatches(try #require(store))
    try store?.compact()
    try expectNoMatches(try #require(store))
    try store?.put(numberedRecords(0..<20))
    try store?.removeAll()
    try expectNoMatches(try #require(store))
    store = nil
    store = try EmbeddingStore(at: directory.store(), space: .small)
    try expectNoMatches(try #require(store))
    try store?.compact()
    try expectNoMatches(try #require(store))
  }

  // sqlite-vec #152; pgvector #719, #841; lancedb #511, #2761; objectbox-dart #658;
  // mnemosyne #607: the filter was applied to the best k, so few or none were left.
  // sqlite-vec #157: no more than 4,096 matches could be asked for.
  @Test func filtersComeBeforeTheCountAndTheCountHasNoCap() throws {
    let store = try EmbeddingStore(inMemory: .small, configuration: .manual)
    let query = axisVector(0)
    // Those close to the query do not match the filter; 322 of those far away do.
    let records = (0..<20_000).map { number in
      var vector = RandomVectors.vector(number: number, dimension: 8)
      vector[0] = number < 19_678 ? 8 : -8
      return Record(key: "k\(number)", vector: vector, labels: number < 19_678 ? ["near"] : ["far"])
    }
    try store.put(records)
    let filter = Filter(labels: [.any(["far"])])
    let found = try store.search(for: query, count: 644, filter: filter)
    #expect(found.count == 322)
    #expect(found.allSatisfy { Int($0.key.dropFirst()).map { $0 >= 19_678 } ?? false })
    let one = try store.search(for: query, count: 5, filter: Filter(keys: ["k19999"]))
    #expect(one.map(\.key) == ["k19999"])
    let closure = try store.search(for: query, count: 5) { $0.key == "k19990" }
    #expect(closure.map(\.key) == ["k19990"])
    let all = try store.search(for: query, count: 20_000)
    #expect(Set(all.map(\.key)).count == 20_000)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.score >= $1.score })
  }

  // vlasky/sqlite-vec #8; spiceai PR 11621; ArcadeDB #4583; nmslib #321: a zero vector gave NaN,
  // came first, or differed between code paths.
  @Test func everyScoreIsANumberOrTheVectorIsRefused() throws {
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<3))
    let odd: [(Float, StoreError.Code?)] = [
      (0, .zeroVector), (-0.0, .zeroVector), (.nan, .notFinite), (.infinity, .notFinite),
      (-.infinity, .notFinite), (.leastNonzeroMagnitude, .zeroVector),
      (.leastNormalMagnitude, .zeroVector), (1e-8, .zeroVector), (1e-5, nil), (65_520, nil),
      (.greatestFiniteMagnitude, nil),
    ]
    for (value, code) in odd {
      let vector = [value] + [Float](repeating: 0, count: 7)
      if let code {
        expectError(code) { _ = try store.search(for: vector) }
        expectError(code, naming: "odd") { try store.put(Record(key: "odd", vector: vector)) }
      } else {
        try store.put(Record(key: "odd", vector: vector))
        let matches = try store.search(for: vector)
        #expect(matches.first?.key == "odd")
        #expect(matches.first.map { abs($0.score - 1) < 1e-3 } ?? false)
        #expect(matches.allSatisfy { (-1...1).contains($0.score) })
      }
    }
  }

  // langchain4j #6076; semantic-kernel #2078; llama_index #7007: a threshold meant for one metric
  // was applied to another, or the ranking was upside down.
  @Test func largerScoresAreCloserAndTheMetricBelongsToTheStore() throws {
    let directory = try TemporaryDirectory()
    for space in [EmbeddingSpace.small, .exact] {
      let url = directory.store("\(space.normalization)")
      do {
        let store = try EmbeddingStore(at: url, space: space)
        try store.put(Record(key: "same", vector: axisVector(0)))
        try store.put(Record(key: "other", vector: axisVector(1)))
        try store.put(Record(key: "opposite", vector: axisVector(0).map { -$0 }))
        let matches = try store.search(for: axisVector(0))
        #expect(matches.map(\.key) == ["same", "other", "opposite"])
        let positive = try store.search(Query(.vector(axisVector(0)), minimumScore: 0))
        #expect(positive.map(\.key) == ["same", "other"])
      }
      var other = space
      other.normalization = space.normalization == .none ? .unitLength : .none
      let error = expectError(.spaceMismatch) { _ = try EmbeddingStore(at: url, space: other) }
      #expect(error?.path?.contains(url.lastPathComponent) ?? false)
    }
  }

  // faiss #396, #1119: vectors that were not normalised gave scores in the hundreds.
  @Test func lengthsDoNotMatterInASpaceOfUnitLength() throws {
    let store = try EmbeddingStore(inMemory: .small)
    let lengths: [Float] = [0.01, 0.5, 1, 30, 1_000]
    var model = StoreModel()
    for number in 0..<100 {
      let vector = RandomVectors.vector(number: number, dimension: 8)
      let record = Record(key: "k\(number)", vector: vector.map { $0 * lengths[number % 5] })
      try store.put(record)
      model.put(record)
    }
    for length in lengths {
      let query = RandomVectors.vector(number: 1_000, dimension: 8).map { $0 * length }
      let matches = try store.search(for: query, count: 100)
      for match in matches {
        let record = try #require(model[match.key, 0])
        #expect(abs(Double(match.score) - StoreModel.cosine(query, record.vector)) < 2e-3)
      }
    }
  }

  // immich #4839, #9398, #9220, #11017: after a change of the model results were meaningless or
  // inserts failed; a space in the model's name was enough.
  @Test(arguments: [
    EmbeddingSpace(model: " test", dimension: 8), EmbeddingSpace(model: "test ", dimension: 8),
    EmbeddingSpace(model: "Test", dimension: 8), EmbeddingSpace(model: "other", dimension: 8),
    EmbeddingSpace(model: "test", revision: "2", dimension: 8),
    EmbeddingSpace(model: "test", dimension: 9),
  ])
  func anotherModelIsRefused(other: EmbeddingSpace) throws {
    let directory = try TemporaryDirectory()
    #expect(other != .small)
    do {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      try store.put(numberedRecords(0..<3))
      let query = Embedding([Float](repeating: 1, count: other.dimension), in: other)
      let error = expectError(.spaceMismatch) { _ = try store.search(for: query) }
      #expect(error?.message.contains("test") ?? false)
      #expect(try store.search(for: Embedding(axisVector(0), in: .small)).count == 3)
    }
    let before = try DirectoryImage(directory.url)
    expectError(.spaceMismatch, naming: "store") {
      _ = try EmbeddingStore(at: directory.store(), space: other)
    }
    #expect(try DirectoryImage(directory.url) == before)
  }

  // smart-connections #496, #533, #1096: everything was embedded again at every start.
  @Test func nothingIsMissingAfterReopening() throws {
    let directory = try TemporaryDirectory()
    let keys = ["plain", "caf\u{e9}", "cafe\u{301}", "emoji 🏖️", "a/b.jpg", " ", "\u{0}nul"]
    for launch in 0..<10 {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      #expect(try store.missing(from: keys).count == (launch == 0 ? keys.count : 0))
      if launch == 0 {
        try store.put(keys.enumerated().map { Record(key: $1, vector: axisVector($0)) })
      }
      #expect(try store.count() == keys.count)
      if launch % 3 == 1 { try store.compact() }
      if launch % 2 == 1 { try store.close() }
    }
  }
}
