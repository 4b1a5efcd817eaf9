public import EmbeddingStores

extension EmbeddingStore {
  /// Imports what can be known to be good in the files of Queryable's `EmbeddingStore`.
  ///
  /// The journal goes before the main file, and the list of removed keys before both, as in the app. The
  /// format has neither checksums nor frames, so a record counts only where what follows it fits too;
  /// behind an append that was cut short the next record is searched for, byte by byte. Components must
  /// be finite and at most 10,000. Damage is reported, not thrown. The files are only read, and stay as
  /// they are to the byte.
  ///
  /// The store's dimension must be that of the files, which do not say it: 512 in the app. Nothing in
  /// them tells which model made a vector, so the caller has to know.
  ///
  /// After an error the batches before it stay stored; importing again replaces them by the same.
  ///
  /// - Throws: `.notFound` when there is neither a main file nor a journal; `.unsupportedFormat` for a
  ///   main file of another version; `.permissionDenied`, `.protectedDataUnavailable` and `.inputOutput`
  ///   from the system, and nothing is taken for missing then; what `put` throws; `.cancelled`.
  /// - Complexity: Reads each byte about twice, through a mapping: nothing may cut the files short
  ///   meanwhile. About 300 bytes of memory a key.
  @discardableResult
  public func importLegacyFiles(
    _ files: LegacyFiles, progress: (ImportProgress) -> Void = { _ in }
  ) throws(StoreError) -> LegacyReport {
    try LegacyImport(store: self, files: files).run(progress)
  }

  /// `importLegacyFiles(_:progress:)` away from the caller's thread.
  @concurrent @discardableResult
  public func importLegacyFiles(
    _ files: LegacyFiles, progress: @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(StoreError) -> LegacyReport {
    try LegacyImport(store: self, files: files).run(progress)
  }
}
