import EmbeddingClusters
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Synchronization
import Testing

/// Albums on top of clusters, and what a namer learns of them.
@Suite struct AlbumTests {
  private struct Refusal: Error {}

  /// Remembers what it is asked, is slow, and refuses or fails for some.
  private final class TestNamer: AlbumNamer {
    let asked = Mutex<[AlbumSummary]>([])

    func title(for summary: AlbumSummary) async throws -> String {
      asked.withLock { $0.append(summary) }
      try await Task.sleep(for: .milliseconds(1))
      if summary.labels.first?.text == "beach" { throw Refusal() }
      return summary.labels.first?.text == "dog" ? " \n" : "Named \(summary.count)"
    }
  }

  private func makeStore() throws -> EmbeddingStore {
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 4))
    func time(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }
    var records: [Record] = []
    for number in 0..<8 {
      records.append(
        Record(
          key: "beach\(number)", vector: [1, 0.01 * Float(number), 0, 0],
          timestamp: try time("2024-0\(5 + number % 3)-30T23:30:00Z"),
          labels: number < 3 ? ["beach", "sea", "f", "e", "d", "c"] : ["beach"],
          text: number < 4 ? "Sunset sunset, at the pier; common" : "common"))
    }
    for number in 0..<6 {
      records.append(
        Record(
          key: "dog\(number)", vector: [0, 1, 0.01 * Float(number), 0], labels: ["dog"],
          text: number < 2 ? "common Ball" : "common"))
    }
    for number in 0..<5 {
      records.append(Record(key: "bare\(number)", vector: [0, 0, 1, 0.01 * Float(number)]))
    }
    records.append(Record(key: "rest", vector: [0, 0, 0, 1]))
    try store.put(records)
    return store
  }

  private func makeAlbums(_ store: EmbeddingStore) throws -> SmartAlbums {
    let clustering = try store.clusters(ClusteringOptions(count: .exactly(4)))
    return try store.albums(
      of: clustering, timeZone: try #require(TimeZone(secondsFromGMT: 3_600)),
      locale: Locale(identifier: "en_US"))
  }

  @Test func summariesCountLabelsWordsAndMonths() throws {
    let albums = try makeAlbums(try makeStore())
    #expect(albums.albums.map(\.cluster.members.count) == [8, 6, 5])
    #expect(albums.albums.map(\.id) == [0, 1, 2])
    #expect(albums.rest.map(\.key) == ["rest"])
    let beach = albums.albums[0].summary
    #expect(beach.count == 8)
    #expect(beach.labels.map(\.text) == ["beach", "c", "d", "e", "f"])
    #expect(beach.labels.map(\.count) == [8, 3, 3, 3, 3])
    #expect(
      beach.words == [.init(text: "pier", count: 4), .init(text: "sunset", count: 4)])
    // An hour east of Greenwich the thirtieth of June at half past eleven is in July.
    #expect(beach.months == Month(year: 2024, month: 5)...Month(year: 2024, month: 7))
    #expect(albums.albums[1].summary.words == [.init(text: "ball", count: 2)])
    #expect(albums.albums[1].summary.months == nil)
    #expect(
      albums.albums.map(\.title) == ["beach, c, May 2024 – July 2024", "dog", "5"])
  }

  @Test func aNamerLearnsTheSummariesOnlyAndMayFail() async throws {
    let albums = try makeAlbums(try makeStore())
    let namer = TestNamer()
    let named = await albums.named(by: namer)
    #expect(namer.asked.withLock { $0 } == albums.albums.map(\.summary))
    #expect(named.albums.map(\.title) == [albums.albums[0].title, "dog", "Named 5"])
    #expect(named.albums.map { $0.namingFailure != nil } == [true, true, false])
    #expect(named.albums.map(\.cluster) == albums.albums.map(\.cluster))
    let cancelled = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await albums.named(by: namer)
    }.value
    #expect(cancelled == albums)
  }

  @Test func aMinimumBelowOneIsRefusedAndGoneRowsOnlyCount() async throws {
    let store = try makeStore()
    let clustering = try await store.clusters(ClusteringOptions(count: .exactly(4)))
    await expectError(.invalidArgument) {
      _ = try store.albums(of: clustering, minimumCount: 0)
    }
    try store.remove(["dog0", "dog1", "dog2"])
    let albums = try store.albums(of: clustering, minimumCount: 6)
    #expect(albums.albums.map(\.summary.count) == [8, 6])
    #expect(albums.albums[1].summary.labels == [.init(text: "dog", count: 3)])
    #expect(albums.rest.count == 6)
  }
}
