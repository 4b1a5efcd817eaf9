import EmbeddingIndexing
import EmbeddingStores
import Foundation
import Testing

/// The examples of Docs/Indexing.md and of the doc comments of `EmbeddingIndexing`.
@Suite struct IndexingExamples {
  private let place = URL.temporaryDirectory.appending(path: "indexing-\(UUID().uuidString)")

  private func withPlace(_ body: (URL) async throws -> Void) async throws {
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    try await body(place)
  }

  @Test func aFolderIsIndexedAndMoved() async throws {
    try await withPlace { place in
      let folder = place.appending(path: "notes")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      for number in 0..<30 {
        try Data("note number \(number) about apples".utf8)
          .write(to: folder.appending(path: "\(number).txt"))
      }
      let directory = place.appending(path: "notes.embeddings")
      let encoder = try HashedTextEncoder(dimension: 64)
      let store = try EmbeddingStore(at: directory, space: encoder.space)

      let source = DirectorySource(textFilesIn: folder)
      let indexer = try Indexer(store: store, source: source, encoder: EncoderLoader(encoder))
      for await progress in indexer.progress() {
        print("\(progress.processed) of \(progress.total)", progress.end ?? "")
      }
      #expect(try store.count() == 30)

      var options = IndexingOptions.background
      options.timeBudget = .seconds(25)
      options.minimumWorkCount = 50
      options.retriesUnavailable = true
      let background = try Indexer(
        store: store, source: source, encoder: EncoderLoader(encoder), options: options)
      let progress = try await background.run()
      #expect(progress.end == .finished)

      let newEncoder = try HashedTextEncoder(dimension: 128)
      let migration = try SpaceMigration(of: store, to: newEncoder.space)
      try await migration.indexer(source: source, encoder: EncoderLoader(newEncoder)).run()
      let moved = try migration.switchOver()
      #expect(try moved.count() == 30 && moved.space == newEncoder.space)
    }
  }

  @Test func aStoreIsMovedAsTheDocCommentSays() async throws {
    try await withPlace { place in
      let directory = place.appending(path: "store")
      let old = try HashedTextEncoder(dimension: 64)
      let new = try HashedTextEncoder(dimension: 128)
      let source = InMemorySource([(item: SourceItem(key: "a"), input: "apple")])

      let store = try EmbeddingStore(at: directory, space: old.space)
      let migration = try SpaceMigration(of: store, to: new.space)
      try await migration.indexer(source: source, encoder: EncoderLoader(new)).run()
      let moved = try migration.switchOver()
      // ... and once it has proved itself:
      try SpaceMigration.discardStoreBeside(directory)
      #expect(try moved.contains("a"))
    }
  }

  @Test func anAppsOwnSourceIsIndexed() async throws {
    let library = PhotoLibrary(photoCount: 25)
    let store = try EmbeddingStore(inMemory: PictureEncoder().space)
    let indexer = try Indexer(
      store: store, source: PhotoSource(library: library), encoder: PictureEncoder())
    let progress = try await indexer.run()
    #expect(progress.completed == 24 && progress.deferred == 1)
    #expect(try store.record(for: "photo 3")?.labels == ["album 0"])
  }

  @Test func aPanoramaIsPlannedAndAQueryRewritten() async throws {
    let plan = try TilePlan(
      image: PixelSize(width: 6_000, height: 1_500), input: PixelSize(width: 224, height: 224))
    print(plan.hiddenShare, plan.tiles.count)
    #expect(plan.hiddenShare == 0.75 && plan.tiles.count == 5)

    let textEncoder = try HashedTextEncoder()
    let table = try PhraseTable(["Hund": ["dog", "puppy"], "am Strand": ["on the beach"]])
    let queries = QueryEncoder(textEncoder, rewriter: table)
    let query = try await queries.embedding(of: "hund am STRAND")
    #expect(query.space == textEncoder.space)
    #expect(table.phrasings(of: "hund am STRAND") == ["dog on the beach", "puppy on the beach"])
  }

  @Test func anEncoderIsChecked() async throws {
    let encoder = try HashedTextEncoder()
    let samples = ["a dog", "two cats", "the sea"]
    let golden = [
      GoldenVector("a dog", try await encoder.embedding(of: "a dog").vector)
    ]
    let problems = await EncoderCheck().problems(of: encoder, samples: samples, golden: golden)
    #expect(problems.isEmpty)
  }
}

struct PhotoSource: ItemSource {
  let library: PhotoLibrary

  func pages() -> AsyncThrowingStream<[SourceItem], any Error> {
    let cursor = library.cursor()
    return AsyncThrowingStream {
      try await cursor.nextPage()?.map { photo in
        SourceItem(
          key: photo.id, revision: Revision(photo.modified), timestamp: photo.taken,
          labels: photo.albums)
      }
    }
  }

  func inputs(of item: SourceItem) async throws -> [Picture] {
    guard let picture = try await library.picture(item.key) else {
      throw ItemUnavailable("The original is in the cloud.")
    }
    return [picture]
  }
}

struct Picture: Sendable {
  var pixels: [Float]
}

struct Photo: Sendable {
  var id: String
  var modified: Date
  var taken: Date
  var albums: Set<String>
}

/// Stands for an app's own.
struct PhotoLibrary: Sendable {
  let photoCount: Int

  func cursor() -> Cursor { Cursor(photoCount: photoCount) }

  func picture(_ id: String) async throws -> Picture? {
    if id == "photo 7" { return nil }
    return Picture(pixels: [1, Float(id.count), Float(id.utf8.last ?? 0)])
  }

  actor Cursor {
    private var next = 0
    private let photoCount: Int

    init(photoCount: Int) {
      self.photoCount = photoCount
    }

    func nextPage() async throws -> [Photo]? {
      guard next < photoCount else { return nil }
      defer { next += 10 }
      return (next..<min(next + 10, photoCount)).map { number in
        Photo(
          id: "photo \(number)", modified: Date(timeIntervalSince1970: Double(number)),
          taken: Date(timeIntervalSince1970: 0), albums: ["album \(number / 10)"])
      }
    }
  }
}

struct PictureEncoder: EmbeddingEncoder {
  let space = EmbeddingSpace(model: "pictures", dimension: 3)

  func encode(_ inputs: [Picture]) async throws -> [[Float]] {
    inputs.map(\.pixels)
  }
}
