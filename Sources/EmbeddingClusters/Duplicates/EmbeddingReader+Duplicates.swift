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
  /// - Complexity: With a time window, one matrix product of rows that are about as far apart in
  ///   time. Else rows are first clustered around some of them, and compared only where a bound
  ///   says that a pair may be near enough; the less the lower the minimum score. At worst half a
  ///   matrix product of all rows with themselves. Memory for all pairs found, 24 bytes
  ///   each, and for the bound at most 4 KiB a row, far less with a high minimum score.
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
