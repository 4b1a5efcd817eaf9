public import EmbeddingStores

extension EmbeddingStore {
  /// Puts the vectors of a file, each under the key of its line in a list.
  ///
  /// The whole file is checked first: as many lines as rows, no key with a part twice, and no record
  /// that `put` would refuse. After an error there nothing was stored. Then rows are put, batch by
  /// batch; after a cancellation, a full disk or a kill the batches before stay, and importing again
  /// replaces them by the same. Records of other keys stay as they are.
  ///
  /// - Returns: The rows that were stored.
  /// - Throws: `.wrongDimension` when the file's vectors do not fit the store's space;
  ///   `.countMismatch` for fewer or more lines than rows; `.duplicateKey`; `.malformedFile` for a
  ///   line that is no record; what `put` throws, with the row in the message; `.cancelled` soon
  ///   after the current task is.
  /// - Complexity: Reads both files twice, and costs as `put`. 8 bytes of memory a row and one batch:
  ///   at most 1,024 rows, and one row beyond 4 MiB of vectors or of what belongs to them.
  @discardableResult
  public func importVectors(
    _ vectors: VectorFile, records: RecordList, progress: (ImportProgress) -> Void = { _ in }
  ) throws(StoreError) -> Int {
    try VectorImport(store: self, vectors: vectors, list: records).run(progress)
  }

  /// `importVectors(_:records:progress:)` away from the caller's thread.
  @concurrent @discardableResult
  public func importVectors(
    _ vectors: VectorFile, records: RecordList,
    progress: @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(StoreError) -> Int {
    try VectorImport(store: self, vectors: vectors, list: records).run(progress)
  }
}
