import EmbeddingClusters
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Rows that come and go after a clustering.
@Suite struct StableClusterTests {
  @Test func oldRowsStayAndNewRowsJoinTheNearest() throws {
    var generator = SeededGenerator("oldRowsStayAndNewRowsJoinTheNearest", seed: 6_020)
    let store = try makeStore(RandomVectors.uniform(800, dimension: 16, using: &generator))
    let first = try store.clusters(ClusteringOptions(count: .exactly(12)))
    let kept = try JSONDecoder().decode(
      CentroidSet.self, from: JSONEncoder().encode(first.centroids))
    #expect(kept == first.centroids)
    #expect(try store.clusters(assigningTo: kept).clusters == first.clusters)

    let new = RandomVectors.uniform(100, dimension: 16, using: &generator)
    try store.put(new.enumerated().map { Record(key: "new\($0)", vector: $1) })
    try store.remove(["k5", "k6"])
    try store.compact()
    let second = try store.clusters(assigningTo: kept)
    var clusters: [RowIdentity: Int] = [:]
    for cluster in first.clusters {
      for member in cluster.members { clusters[member.row] = cluster.id }
    }
    var newCount = 0
    for cluster in second.clusters {
      #expect(cluster.centroid == first.clusters.first { $0.id == cluster.id }?.centroid)
      for member in cluster.members {
        if let old = clusters[member.row] {
          #expect(old == cluster.id)
        } else {
          newCount += 1
          let vector = try #require(try store.vector(for: member.row.key))
          let best = first.clusters.map { dot(vector, $0.centroid) }.max() ?? 0
          #expect(dot(vector, cluster.centroid) >= best - 2e-6)
        }
      }
    }
    #expect(newCount == 100)
    #expect(second.clusters.reduce(0) { $0 + $1.members.count } == 898)
  }

  @Test func aClusterWithoutMembersKeepsItsIdentity() throws {
    let store = try makeStore([[1, 0], [0, 1]])
    let centroids = try store.clusters(ClusteringOptions(count: .exactly(2))).centroids
    try store.remove(["k0", "k1"])
    let clusters = try store.clusters(assigningTo: centroids).clusters
    #expect(clusters.map(\.id) == [0, 1])
    #expect(clusters.allSatisfy { $0.members.isEmpty && $0.cover == nil && $0.cohesion == 0 })
  }

  @Test func centroidsThatDoNotFitAreRefused() async throws {
    let store = try makeStore([[1, 0], [0, 1]])
    let other = try EmbeddingStore(inMemory: EmbeddingSpace(model: "other", dimension: 2))
    let centroids = try await store.clusters(ClusteringOptions(count: .exactly(2))).centroids
    await expectError(.spaceMismatch) { _ = try other.clusters(assigningTo: centroids) }
    let none = try await other.clusters(ClusteringOptions(count: .exactly(2))).centroids
    await expectError(.invalidArgument) { _ = try other.clusters(assigningTo: none) }
    for (old, new) in [("\"ids\":[0,1]", "\"ids\":[1,1]"), ("[1,0]", "[1,0,0]"), ("[0,1]", "[0]")] {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      let text = String(decoding: try encoder.encode(centroids), as: UTF8.self)
      let changed = text.replacingOccurrences(of: old, with: new)
      try #require(changed != text)
      let forged = try JSONDecoder().decode(CentroidSet.self, from: Data(changed.utf8))
      await expectError(.invalidArgument) { _ = try store.clusters(assigningTo: forged) }
    }
  }
}
