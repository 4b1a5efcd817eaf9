import EmbeddingClusters
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// A store in memory with the keys `k0`, `k1` and so on.
func makeStore(
  _ vectors: [[Float]], threadCount: Int = 0,
  normalization: EmbeddingSpace.Normalization = .unitLength
) throws -> EmbeddingStore {
  var configuration = StoreConfiguration()
  configuration.compaction = .manual
  configuration.searchThreadCount = threadCount
  let space = EmbeddingSpace(
    model: "test", dimension: vectors.first?.count ?? 8, normalization: normalization)
  let store = try EmbeddingStore(inMemory: space, configuration: configuration)
  try store.put(vectors.enumerated().map { Record(key: "k\($0)", vector: $1) })
  return store
}

/// The dot product in Float64.
func dot(_ first: [Float], _ second: [Float]) -> Double {
  zip(first, second).reduce(0) { $0 + Double($1.0) * Double($1.1) }
}

/// Expects an error of the store with this code.
func expectError(
  _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async {
  let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
    try await body()
  }
  #expect(error?.code == code, sourceLocation: sourceLocation)
}
