import EmbeddingStores
import Foundation
import Testing

/// The examples of the README's guide and of doc comments, in the order in which they are shown.
/// `DocumentationTests` checks that each block stands here line for line.
@Suite struct GuideExamples {
  struct Asset {
    var id: String
    var picture: [Float]
    var creationDate: Date
  }

  struct PhotoInfo: Codable {
    var faces: Int
  }

  @Test func theGuideDoesWhatItSays() throws {
    let directory = URL.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let assets = (42..<142).map { number in
      var picture = [Float](repeating: 0.01, count: 512)
      picture[number] = 1
      return Asset(
        id: String(format: "IMG_%04d", number), picture: picture,
        creationDate: Date(timeIntervalSince1970: Double(number)))
    }
    func encode(_ asset: Asset) -> [Float] { asset.picture }

    let clip = EmbeddingSpace(model: "MobileCLIP-S1", revision: "1.0.0", dimension: 512)
    let store = try EmbeddingStore(at: directory, space: clip)

    try store.put(
      assets.map { asset in
        try Record(
          key: asset.id, vector: encode(asset), timestamp: asset.creationDate, labels: ["beach"],
          metadataValue: PhotoInfo(faces: 2))
      })

    let (start, end) = (Date(timeIntervalSince1970: 50), Date(timeIntervalSince1970: 60))
    let query = encode(assets[10])
    let matches = try store.search(
      for: query, count: 30,
      filter: Filter(timestamps: start..<end, labels: [.any(["beach", "ocean"])])
    ) { row in
      row.key.hasPrefix("IMG")
    }
    let similar = try store.search(like: "IMG_0042", count: 12)
    #expect(matches.count == 10 && matches.first?.key == "IMG_0052")
    #expect(similar.count == 12 && !similar.map(\.key).contains("IMG_0042"))

    try store.update([RecordUpdate(key: "IMG_0042", labels: .set(["beach", "dog"]))])
    try store.remove(["IMG_0043"])
    try store.compact { progress in
      print("\(progress.completedRowCount) of \(progress.totalRowCount)")
    }
    #expect(try store.record(for: "IMG_0042")?.labels == ["beach", "dog"])
    #expect(try store.record(for: "IMG_0042")?.metadata(as: PhotoInfo.self)?.faces == 2)
    #expect(try store.contains("IMG_0043") == false)
  }

  @Test func theStoresOwnExampleRuns() throws {
    let directory = URL.temporaryDirectory.appending(path: "doc-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let embedding = [Float](repeating: 0.5, count: 512)
    let query = embedding

    let space = EmbeddingSpace(model: "MobileCLIP-S1", revision: "1.0.0", dimension: 512)
    let store = try EmbeddingStore(at: directory, space: space)
    try store.put([Record(key: "IMG_0001", vector: embedding, labels: ["beach"])])
    let matches = try store.search(for: query, count: 30)
    #expect(matches.map(\.key) == ["IMG_0001"])
  }
}
