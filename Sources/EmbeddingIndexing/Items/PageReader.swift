internal import EmbeddingStores

/// Reads a source's pages to their end, telling it apart from an error and from a cancellation: a
/// stream that is cancelled ends as if there were no more items.
struct PageReader {
  private var pages: AsyncThrowingStream<[SourceItem], any Error>.Iterator

  init(_ source: some ItemSource) {
    pages = source.pages().makeAsyncIterator()
  }

  /// The next page, or nil when there is no other.
  ///
  /// - Throws: `.sourceFailed` with what the source threw; `.cancelled`.
  mutating func next() async throws(StoreError) -> [SourceItem]? {
    let page: [SourceItem]?
    do {
      page = try await pages.next(isolation: #isolation)
    } catch {
      try checkCancellation()
      if let error = error as? StoreError, error.code == .sourceFailed { throw error }
      throw StoreError(
        .sourceFailed,
        "The source could not list all of its items, so nothing is removed: \(error)")
    }
    try checkCancellation()
    return page
  }

  private func checkCancellation() throws(StoreError) {
    if Task.isCancelled {
      throw StoreError(.cancelled, "Reading the source was cancelled before its end.")
    }
  }
}
