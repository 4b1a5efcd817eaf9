import EmbeddingClusters
import EmbeddingStores
import Foundation
import Testing

/// The examples of the guide to `EmbeddingClusters`.
@Suite struct ClusterExamples {
  @Test func clustersAlbumsAndNearDuplicates() async throws {
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 4))
    try store.put([
      Record(key: "beach1", vector: [1, 0, 0, 0], labels: ["beach"]),
      Record(key: "beach2", vector: [1, 0.1, 0, 0], labels: ["beach"]),
      Record(key: "beach3", vector: [1, 0, 0.5, 0], labels: ["beach"]),
      Record(key: "dog1", vector: [0, 1, 0, 0], labels: ["dog"]),
      Record(key: "dog2", vector: [0, 1, 0, 0.5], labels: ["dog"]),
    ])
    let sizes = ["beach1": 100, "beach2": 200]

    let clustering = try await store.clusters(ClusteringOptions(count: .exactly(2), seed: 7))
    for album in try store.albums(of: clustering, minimumCount: 2).albums {
      print(album.title, album.cluster.members.count, album.cluster.cover?.key ?? "")
    }

    let kept = try JSONEncoder().encode(clustering.centroids)
    try store.put([Record(key: "new", vector: [0.1, 1, 0, 0])])
    let centroids = try JSONDecoder().decode(CentroidSet.self, from: kept)
    let later = try await store.clusters(assigningTo: centroids)

    let groups = try await store.duplicateGroups(DuplicateOptions(minimumScore: 0.98)) {
      sizes[$0.key, default: 0] > sizes[$1.key, default: 0]
    }
    for group in groups { print(group.keeper.key, group.members.map(\.key), group.scores) }
    let page = try await store.search(for: [1, 0, 0, 0], count: 4).onePerGroup(of: groups)

    let albums = try store.albums(of: clustering, minimumCount: 2)
    #expect(albums.albums.map(\.title) == ["beach", "dog"])
    #expect(later.clusters.map(\.id).sorted() == [0, 1])
    let dogs = later.clusters.first { $0.id == 1 }
    #expect(Set(dogs?.members.map(\.row.key) ?? []) == ["dog1", "dog2", "new"])
    #expect(groups.map(\.keeper.key) == ["beach2", "dog1"])
    #expect(page.map(\.key) == ["beach1", "beach3", "new"])
  }
}
