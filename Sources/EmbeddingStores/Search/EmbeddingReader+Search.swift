internal import EmbeddingFiles

extension EmbeddingReader {
  /// The rows closest to a query, best first.
  ///
  /// Exact: returns precisely the best rows among those that satisfy all conditions, ordered by
  /// score descending and then by the bytes of the key ascending; fewer than `count` only when
  /// fewer qualify. The result does not depend on threads, on compaction or on the processor.
  ///
  /// - Throws: `.invalidArgument` for a count below 1, a negative offset or a minimum score that
  ///   is not a number; `.wrongDimension`, `.notFinite`, `.zeroVector` or `.outOfRange` for a
  ///   vector that can not be compared; `.spaceMismatch` for an embedding of another space;
  ///   `.notFound` for an unknown key.
  /// - Complexity: With compact codes, reads about a tenth of the bytes of the rows that the filter
  ///   allows, and more the larger `count + offset` is; without, all of them. Memory for
  ///   `count + offset` matches, and 12 bytes a row that may still match.
  public func search(_ query: Query) throws(StoreError) -> [Match] {
    try search(query, cancellation: WorkCancellation.ofSearch())
  }

  /// The matches of each query, in the order of the queries, as if searched one by one.
  ///
  /// Reads every block of rows once for all queries, by a matrix product, where that is faster.
  public func search(_ queries: [Query]) throws(StoreError) -> [[Match]] {
    try search(queries, cancellation: WorkCancellation.ofSearch())
  }

  /// The `count` rows closest to `vector` that satisfy the filter and the closure; see
  /// `search(_:)`.
  public func search(
    for vector: [Float], count: Int = 10, filter: Filter = Filter(),
    where predicate: (@Sendable (Row) -> Bool)? = nil
  ) throws(StoreError) -> [Match] {
    try search(Query(.vector(vector), count: count, filter: filter, where: predicate))
  }

  /// The `count` rows closest to `embedding`, whose space must be this one; see `search(_:)`.
  public func search(
    for embedding: Embedding, count: Int = 10, filter: Filter = Filter(),
    where predicate: (@Sendable (Row) -> Bool)? = nil
  ) throws(StoreError) -> [Match] {
    try search(Query(.embedding(embedding), count: count, filter: filter, where: predicate))
  }

  /// More like this: the `count` rows closest to the stored row of `key`, without that key; see
  /// `search(_:)`.
  public func search(
    like key: String, part: UInt16 = 0, count: Int = 10, filter: Filter = Filter(),
    where predicate: (@Sendable (Row) -> Bool)? = nil
  ) throws(StoreError) -> [Match] {
    try search(Query(.key(key, part: part), count: count, filter: filter, where: predicate))
  }

  /// The `count` rows closest to each of `vectors`; see `search(_:)`.
  public func search(
    for vectors: [[Float]], count: Int = 10, filter: Filter = Filter(),
    where predicate: (@Sendable (Row) -> Bool)? = nil
  ) throws(StoreError) -> [[Match]] {
    try search(
      vectors.map { Query(.vector($0), count: count, filter: filter, where: predicate) })
  }

  /// `search(_:)`, adding what it reads to a meter.
  package func search(_ queries: [Query], meter: SearchMeter) throws(StoreError) -> [[Match]] {
    try search(queries, cancellation: WorkCancellation.ofSearch(), meter: meter)
  }

  func search(
    _ query: Query, cancellation: WorkCancellation
  ) throws(StoreError) -> [Match] {
    let snapshot = try snapshot()
    let plan = try SearchPlan(query, in: snapshot)
    return try translatingErrors { () throws(StorageError) in
      try SearchRun(snapshot: snapshot, cancellation: cancellation).matches(for: plan)
    }
  }

  func search(
    _ queries: [Query], cancellation: WorkCancellation, meter: SearchMeter? = nil
  ) throws(StoreError) -> [[Match]] {
    let snapshot = try snapshot()
    var plans: [SearchPlan] = []
    for query in queries {
      plans.append(try SearchPlan(query, in: snapshot))
    }
    return try translatingErrors { () throws(StorageError) in
      try SearchRun(snapshot: snapshot, cancellation: cancellation, meter: meter)
        .matches(for: plans)
    }
  }
}
