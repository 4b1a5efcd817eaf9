import EmbeddingStores
import EmbeddingTestSupport
import Testing

/// When a search stops reading codes because scanning is faster. What it finds is the campaigns'
/// business (`codes`).
@Suite struct CascadeGuardTests {
  /// More chunks than one, and an end that fills none.
  private static let rowCount = 9_000
  private static let chunkRowCount = 4_096

  private var generator = SeededGenerator("CascadeGuardTests", seed: 11_004)

  @Test mutating func aClosureThatRejectsNearlyAllEndsItAfterTheFirstChunk() throws {
    let vectors = clustered()
    let store = try store(of: vectors)
    let most = try work(of: store, vectors[0]) { _ in true }
    #expect(!most.gaveUp && most.scoredRowCount < Self.rowCount / 10, "the closure admits all")
    for admitted in [Set<String>(), ["17", "8000"]] {
      let work = try work(of: store, vectors[0]) { admitted.contains($0.key) }
      #expect(work.gaveUp, "\(admitted.count) of \(Self.rowCount) rows are admitted")
      #expect(work.codedRowCounts[0] == Self.chunkRowCount)
    }
  }

  @Test mutating func aMinimumScoreThatExcludesMostRowsGoesOnWhateverTheClosureSays() throws {
    let vectors = clustered()
    let work = try work(of: store(of: vectors), vectors[0], minimumScore: 0.9) { _ in false }
    #expect(!work.gaveUp)
    #expect(work.codedRowCounts[0] == Self.rowCount)
  }

  @Test mutating func rowsWithoutStructureEndItAfterTheFirstChunk() throws {
    let vectors = RandomVectors.uniform(Self.rowCount, dimension: 384, using: &generator)
    let work = try work(of: store(of: vectors), vectors[0])
    #expect(work.gaveUp)
    #expect(work.codedRowCounts[0] == Self.chunkRowCount)
  }

  private mutating func clustered() -> [[Float]] {
    RandomVectors.clustered(Self.rowCount, clusterCount: 20, dimension: 64, using: &generator)
  }

  private func store(of vectors: [[Float]]) throws -> EmbeddingStore {
    var configuration = StoreConfiguration.manual
    configuration.searchThreadCount = 1
    let space = EmbeddingSpace(model: "guard", dimension: vectors[0].count)
    let store = try EmbeddingStore(inMemory: space, configuration: configuration)
    try store.put(vectors.enumerated().map { Record(key: "\($0)", vector: $1) })
    try store.compact()
    return store
  }

  private func work(
    of store: EmbeddingStore, _ vector: [Float], minimumScore: Float? = nil,
    _ predicate: (@Sendable (Row) -> Bool)? = nil
  ) throws -> SearchWork {
    var query = Query(.vector(vector), count: 10)
    query.minimumScore = minimumScore
    query.predicate = predicate
    let meter = SearchMeter()
    _ = try store.search([query], meter: meter)
    return meter.work
  }
}
