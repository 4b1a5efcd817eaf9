public import EmbeddingStores
public import EmbeddingTextSearch

/// Rows that can be searched by a query, wherever they are: a store on this device, a snapshot of
/// one, or a table on a server.
///
/// An app that searches through this moves to a server by making another object. Errors are those of the
/// place: `StoreError` or `PostgresError`.
public protocol EmbeddingSearching: Sendable {
  /// The space of the vectors.
  var space: EmbeddingSpace { get }

  /// The rows closest to a query, best first.
  func search(_ query: Query) async throws -> [Match]
}

/// Rows that can be searched by meaning and words, wherever they are: a store's `TextIndex`, or a table on
/// a server.
public protocol HybridSearching: Sendable {
  /// The rows that a query finds, best first.
  func search(_ query: HybridQuery) async throws -> [HybridMatch]
}

extension EmbeddingStore: EmbeddingSearching {}
extension Snapshot: EmbeddingSearching {}
extension TextIndex: HybridSearching {}
extension PostgresTable: EmbeddingSearching, HybridSearching {}
