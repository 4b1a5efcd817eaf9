internal import EmbeddingStores

/// Ends a run from within.
struct RunEnded: Error {
  var reason: IndexingProgress.End

  static let cancelled = RunEnded(reason: .cancelled)

  static func failed(_ error: StoreError) -> RunEnded { RunEnded(reason: .failed(error)) }
}
