import EmbeddingClusters
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Groups of near-duplicates equal those of all pairs compared one by one.
@Suite struct DuplicateGroupTests {
  @Test(arguments: [-1, -0.5, 0.0, 0.3, 0.9, 0.99, 1])
  func groupsEqualThoseOfAllPairsInFloat64(minimumScore: Float) throws {
    var generator = SeededGenerator("groupsEqualThoseOfAllPairs", seed: 6_030)
    for dimension in [3, 40] {
      let vectors =
        RandomVectors.uniform(300, dimension: dimension, using: &generator)
        + RandomVectors.clustered(
          250, clusterCount: 60, dimension: dimension, using: &generator)
      let store = try makeStore(vectors)
      try expectGroups(store, minimumScore, window: nil)
    }
  }

  @Test(arguments: [0.0, 12, 400])
  func onlyRowsWithinTheTimeWindowAreConnected(seconds: Double) throws {
    var generator = SeededGenerator("onlyRowsWithinTheTimeWindow", seed: 6_031)
    let vectors = RandomVectors.clustered(
      1_300, clusterCount: 9, dimension: 8, using: &generator)
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 8))
    try store.put(
      vectors.enumerated().map { index, vector in
        let time = Double(Int.random(in: 0..<2_000, using: &generator))
        return Record(
          key: "k\(index)", vector: vector,
          timestamp: index % 10 == 0 ? nil : Date(timeIntervalSince1970: time))
      })
    try expectGroups(store, 0.999, window: seconds)
  }

  // Enough rows for the bound around centroids, with groups that lie across clusters.
  @Test(arguments: [0.85, 0.97])
  func pairsOfSeveralBlocksAreAllFound(minimumScore: Float) throws {
    var generator = SeededGenerator("pairsOfSeveralBlocksAreAllFound", seed: 6_032)
    let rows = RandomVectors.uniform(1_800, dimension: 10, using: &generator)
    let near = rows.prefix(300).map { row in
      row.map { $0 + Float.random(in: -0.3...0.3, using: &generator) }
    }
    try expectGroups(try makeStore(rows + near), minimumScore, window: nil)
  }

  @Test func aGroupIsTheSameOnAnyNumberOfThreads() throws {
    var generator = SeededGenerator("aGroupIsTheSameOnAnyNumberOfThreads", seed: 6_033)
    let vectors = RandomVectors.uniform(2_500, dimension: 8, using: &generator)
    let options = DuplicateOptions(minimumScore: 0.96)
    let first = try makeStore(vectors, threadCount: 1).duplicateGroups(options)
    for threadCount in [2, 5] {
      #expect(try makeStore(vectors, threadCount: threadCount).duplicateGroups(options) == first)
    }
    #expect(!first.isEmpty)
  }

  @Test func partsOfOneKeyAreNotTheirOwnDuplicates() throws {
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 2))
    try store.put([
      Record(key: "a", vector: [1, 0], part: 0), Record(key: "a", vector: [1, 0], part: 1),
      Record(key: "b", vector: [0, 1], part: 0), Record(key: "c", vector: [0, 1], part: 7),
    ])
    let groups = try store.duplicateGroups(DuplicateOptions(minimumScore: 0.9))
    #expect(
      groups.map(\.members) == [[RowIdentity(key: "b"), RowIdentity(key: "c", part: 7)]])
  }

  @Test func theKeeperIsWhatTheCallerPrefers() throws {
    let store = try makeStore([[1, 0], [1, 0.001], [1, 0.002], [0, 1]])
    let options = DuplicateOptions(minimumScore: 0.99)
    #expect(try store.duplicateGroups(options).map(\.keeper.key) == ["k0"])
    let sizes = ["k0": 1, "k1": 9, "k2": 9]
    let groups = try store.duplicateGroups(options) {
      sizes[$0.key, default: 0] > sizes[$1.key, default: 0]
    }
    #expect(groups.map(\.keeper.key) == ["k1"])
    #expect(groups[0].members.map(\.key) == ["k0", "k1", "k2"])
  }

  @Test func optionsThatMakeNoSenseAreRefused() async throws {
    let store = try makeStore([[1, 0], [0, 1]])
    for score in [-1.001, 1.001, Float.nan, .infinity, -.infinity] {
      await expectError(.invalidArgument) {
        _ = try await store.duplicateGroups(DuplicateOptions(minimumScore: score))
      }
    }
    await expectError(.invalidArgument) {
      _ = try await store.duplicateGroups(
        DuplicateOptions(minimumScore: 0.9, timeWindow: .seconds(-1)))
    }
    let product = try makeStore([[3, 0], [4, 0]], normalization: .none)
    #expect(try await product.duplicateGroups(DuplicateOptions(minimumScore: 12)).count == 1)
    #expect(try await product.duplicateGroups(DuplicateOptions(minimumScore: 12.5)).isEmpty)
    let empty = try EmbeddingStore(inMemory: store.space)
    #expect(try await empty.duplicateGroups(DuplicateOptions(minimumScore: 0)).isEmpty)
  }

  @Test func aCancelledLookThrowsCancelled() async throws {
    let store = try makeStore([[1, 0], [0, 1]])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.duplicateGroups(DuplicateOptions(minimumScore: 0.9))
    }
    await expectError(.cancelled) { _ = try await task.value }
  }

  /// Compares with all pairs in Float64. A pair too close to the minimum for Float32 to tell counts
  /// as the search from one of its rows says.
  private func expectGroups(
    _ store: EmbeddingStore, _ minimumScore: Float, window: Double?
  ) throws {
    var records = try store.keys().map { try #require(try store.record(for: $0)) }
    if window != nil { records = records.filter { $0.timestamp != nil } }
    let vectors = records.map { $0.vector.map(Double.init) }
    var labels = Array(records.indices)
    for first in records.indices {
      for second in 0..<first {
        if let window, let start = records[first].timestamp, let end = records[second].timestamp,
          abs(start.timeIntervalSince(end)) > window
        {
          continue
        }
        var score = 0.0
        for index in vectors[first].indices {
          score += vectors[first][index] * vectors[second][index]
        }
        score = min(max(score, -1), 1)
        var isConnected = score >= Double(minimumScore)
        if abs(score - Double(minimumScore)) < 1e-6 {
          isConnected = try !store.search(
            Query(
              .key(records[first].key), count: 1, minimumScore: minimumScore,
              filter: Filter(keys: [records[second].key]))
          ).isEmpty
        }
        if isConnected, labels[first] != labels[second] {
          let (old, new) = (labels[first], labels[second])
          for index in labels.indices where labels[index] == old { labels[index] = new }
        }
      }
    }
    var expected: [Int: Set<String>] = [:]
    for (record, label) in zip(records, labels) { expected[label, default: []].insert(record.key) }
    let options = DuplicateOptions(
      minimumScore: minimumScore, timeWindow: window.map { .seconds($0) })
    let groups = try store.duplicateGroups(options)
    #expect(
      Set(groups.map { Set($0.members.map(\.key)) })
        == Set(expected.values.filter { $0.count > 1 }))
    #expect(groups.allSatisfy { $0.scores.lowerBound >= minimumScore })
    #expect(groups.map(\.members[0]) == groups.map(\.members[0]).sorted())
  }
}
