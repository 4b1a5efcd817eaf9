extension EmbeddingReader {
  /// `search(_:)` away from the caller's thread; throws `.cancelled` soon after the task is.
  @concurrent public func search(_ query: Query) async throws(StoreError) -> [Match] {
    try await cancellable { (cancellation) throws(StoreError) in
      try search(query, cancellation: cancellation)
    }
  }

  /// `search(_:)` for many queries away from the caller's thread; throws `.cancelled` soon after
  /// the task is.
  @concurrent public func search(_ queries: [Query]) async throws(StoreError) -> [[Match]] {
    try await cancellable { (cancellation) throws(StoreError) in
      try search(queries, cancellation: cancellation)
    }
  }

  /// `search(for:count:filter:where:)` away from the caller's thread.
  @concurrent public func search(
    for vector: [Float], count: Int = 10, filter: Filter = Filter(),
    where predicate: (@Sendable (Row) -> Bool)? = nil
  ) async throws(StoreError) -> [Match] {
    try await search(Query(.vector(vector), count: count, filter: filter, where: predicate))
  }

  /// `search(for:count:filter:where:)` with an embedding, away from the caller's thread.
  @concurrent public func search(
    for embedding: Embedding, count: Int = 10, filter: Filter = Filter(),
    where predicate: (@Sendable (Row) -> Bool)? = nil
  ) async throws(StoreError) -> [Match] {
    try await search(Query(.embedding(embedding), count: count, filter: filter, where: predicate))
  }

  /// `search(like:part:count:filter:where:)` away from the caller's thread.
  @concurrent public func search(
    like key: String, part: UInt16 = 0, count: Int = 10, filter: Filter = Filter(),
    where predicate: (@Sendable (Row) -> Bool)? = nil
  ) async throws(StoreError) -> [Match] {
    try await search(Query(.key(key, part: part), count: count, filter: filter, where: predicate))
  }

  private func cancellable<Result: Sendable>(
    _ body: (WorkCancellation) throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    let cancellation = WorkCancellation.ofSearch()
    return try await cancellation.run { () throws(StoreError) in try body(cancellation) }
  }
}
