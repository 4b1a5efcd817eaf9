import EmbeddingClusters
import EmbeddingStores
import EmbeddingTestSupport
import Testing

/// Rows that do not suit the number of clusters, options that make no sense, and ends that come early.
@Suite struct FewRowClusteringTests {
  @Test func anEmptyStoreHasNoClusters() throws {
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 8))
    #expect(try store.clusters(ClusteringOptions(count: .exactly(5))).clusters == [])
    #expect(try store.clusters(ClusteringOptions(count: .suggested(2...9))).clusters == [])
  }

  @Test(arguments: [1, 2, 5, 9, 10, 11, 1_000, 5_000])
  func thereAreNeverMoreClustersThanRows(count: Int) throws {
    var generator = SeededGenerator("thereAreNeverMoreClustersThanRows", seed: 6_010)
    let store = try makeStore(RandomVectors.uniform(10, dimension: 8, using: &generator))
    let clusters = try store.clusters(ClusteringOptions(count: .exactly(count))).clusters
    #expect(clusters.count == min(count, 10))
    #expect(clusters.allSatisfy { !$0.members.isEmpty })
    #expect(clusters.reduce(0) { $0 + $1.members.count } == 10)
  }

  @Test(arguments: [1, 2, 3, 4, 50])
  func identicalRowsAreNeverSplit(count: Int) throws {
    var generator = SeededGenerator("identicalRowsAreNeverSplit", seed: 6_011)
    for distinctCount in [1, 3] {
      let vectors = RandomVectors.duplicated(
        700, distinctCount: distinctCount, dimension: 20, using: &generator)
      let store = try makeStore(vectors)
      let clusters = try store.clusters(ClusteringOptions(count: .exactly(count))).clusters
      #expect(clusters.count == min(count, distinctCount))
      for vector in Set(vectors) {
        let keys = Set(vectors.indices.filter { vectors[$0] == vector }.map { "k\($0)" })
        #expect(clusters.contains { keys.isSubset(of: $0.members.map(\.row.key)) })
      }
    }
  }

  // Many rows in few directions and a few apart: seeds and centroids end up empty along the way.
  @Test func noClusterIsEmpty() throws {
    var generator = SeededGenerator("noClusterIsEmpty", seed: 6_012)
    for seed in 0..<10 {
      var vectors = RandomVectors.duplicated(
        400, distinctCount: 4, dimension: 10, using: &generator)
      vectors += RandomVectors.uniform(12, dimension: 10, using: &generator)
      let store = try makeStore(vectors)
      let clusters = try store.clusters(
        ClusteringOptions(count: .exactly(16), seed: UInt64(seed))
      ).clusters
      #expect(clusters.count == 16)
      #expect(clusters.allSatisfy { !$0.members.isEmpty })
    }
  }

  @Test func aCountOrIterationsBelowOneAreRefused() async throws {
    let store = try makeStore([[1, 0], [0, 1]])
    for count in [0, -1, Int.min] {
      await expectError(.invalidArgument) {
        _ = try store.clusters(ClusteringOptions(count: .exactly(count)))
      }
      await expectError(.invalidArgument) {
        _ = try store.clusters(ClusteringOptions(count: .suggested(count...5)))
      }
      await expectError(.invalidArgument) {
        _ = try store.clusters(
          ClusteringOptions(count: .exactly(1), maximumIterationCount: count))
      }
    }
    #expect(try await store.clusters(ClusteringOptions(count: .exactly(.max))).clusters.count == 2)
  }

  @Test func aCancelledClusteringThrowsCancelled() async throws {
    var generator = SeededGenerator("aCancelledClusteringThrowsCancelled", seed: 6_013)
    let store = try makeStore(RandomVectors.uniform(2_000, dimension: 16, using: &generator))
    let task = Task {
      try await store.clusters(
        ClusteringOptions(count: .exactly(30), maximumIterationCount: 1_000)
      ) { progress in
        if progress.completedStepCount == 1 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await expectError(.cancelled) { _ = try await task.value }
  }

  @Test func progressCountsUpToItsTotal() throws {
    var generator = SeededGenerator("progressCountsUpToItsTotal", seed: 6_014)
    let store = try makeStore(RandomVectors.uniform(500, dimension: 16, using: &generator))
    var steps: [ClusteringProgress] = []
    _ = try store.clusters(ClusteringOptions(count: .exactly(5))) { steps.append($0) }
    #expect(steps.first?.completedStepCount == 0)
    #expect(steps.last?.completedStepCount == 26)
    #expect(Set(steps.map(\.totalStepCount)) == [26])
    #expect(
      zip(steps, steps.dropFirst()).allSatisfy { $0.completedStepCount <= $1.completedStepCount })
  }

  @Test func theNumberOfWellSeparatedClustersIsSuggested() throws {
    var generator = SeededGenerator("theNumberOfWellSeparatedClusters", seed: 6_015)
    let vectors = RandomVectors.clustered(
      800, clusterCount: 8, dimension: 48, using: &generator)
    let store = try makeStore(vectors)
    let clustering = try store.clusters(ClusteringOptions(count: .suggested(2...32)))
    let suggestion = try #require(clustering.suggestion)
    #expect(suggestion.count == 8)
    #expect(suggestion.candidates.map(\.count) == [2, 3, 4, 6, 8, 11, 16, 23, 32])
    #expect(
      suggestion.candidates.allSatisfy { $0.silhouette <= suggestion.candidates[4].silhouette })
    #expect(clustering.clusters.count == 8)
    #expect(suggestion.sampleCount == 800)
  }
}
