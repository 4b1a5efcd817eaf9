public import EmbeddingStores

extension EmbeddingReader {
  /// Groups of near-duplicates: rows that are connected by scores of at least a minimum, directly or
  /// through others, with a keeper each.
  ///
  /// Complete: the pairs are precisely those that searching from every row would find, with the same
  /// scores. Rows of one key are not compared with each other, as in a search from a key. Groups
  /// come in the order of their first members. To use sameness of one model with the meaning of
  /// another, call this on the store of the first: groups name keys, which both stores share.
  ///
  /// `prefers` says whether to keep its first argument rather than its second; it must be an order.
  /// Among equals the one of the smaller key bytes is kept.
  ///
  /// Runs on the calling thread and as many others as the store's searches may use.
  ///
  /// - Throws: `.invalidArgument` for a minimum score that is not finite or, in a normalised space,
  ///   outside [-1, 1], and for a negative time window; `.cancelled` soon after the current task
  ///   is; as reading does.
  /// - Complexity: With 2,048 rows or more of 64 components or more, half a matrix product of all
  ///   rows' sketches with themselves, 32 to 128 numbers each, and a score for each pair that these
  ///   do not rule out: the more the lower the minimum score. Else, and where sketches would not
  ///   pay, half a matrix product of the rows. With a time window only rows about as far apart in
  ///   time are multiplied. Memory of 24 bytes for each pair found, and 128 to 512 bytes a row for
  ///   sketches.
  public func duplicateGroups(
    _ options: DuplicateOptions,
    keeping prefers: (RowIdentity, RowIdentity) -> Bool = { _, _ in false }
  ) throws(StoreError) -> [DuplicateGroup] {
    try DuplicateRun(
      snapshot: try snapshot(), options: options,
      cancellation: WorkCancellation(DuplicateRun.cancelledMessage)
    ).groups(prefers)
  }

  /// `duplicateGroups(_:keeping:)` away from the caller's thread; throws `.cancelled` soon after the
  /// task is.
  @concurrent public func duplicateGroups(
    _ options: DuplicateOptions,
    keeping prefers: @Sendable (RowIdentity, RowIdentity) -> Bool = { _, _ in false }
  ) async throws(StoreError) -> [DuplicateGroup] {
    let cancellation = WorkCancellation(DuplicateRun.cancelledMessage)
    return try await cancellation.run { () throws(StoreError) in
      try DuplicateRun(
        snapshot: try snapshot(), options: options, cancellation: cancellation
      ).groups(prefers)
    }
  }
}
