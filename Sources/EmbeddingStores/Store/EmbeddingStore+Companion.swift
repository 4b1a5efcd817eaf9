internal import EmbeddingFiles
internal import Synchronization

extension EmbeddingStore {
  /// Opens, or creates, a store in the directory `name` of this store's own: for what belongs to it
  /// and goes where it goes, with this store's configuration. It is opened once; suspension, syncing
  /// and closing take it along. A backup does not hold it.
  ///
  /// - Throws: `.readOnly` and `.closed` on such a store; otherwise what opening it throws.
  package func companion(
    named name: String, space: EmbeddingSpace
  ) throws(StoreError) -> EmbeddingStore {
    guard !isReadOnly else {
      throw StoreError(
        .readOnly, "The store was opened read-only. Open it for writing to index into it.",
        path: files.directory.path)
    }
    _ = try snapshot()
    return try companions.withLock { (companions) throws(StoreError) -> EmbeddingStore in
      if let open = companions[name] { return open }
      let opened = try EmbeddingStore(
        files.directory.fileSystem, path: "\(files.directory.path)/\(name)", space: space,
        isReadOnly: false, configuration, isInMemory: isInMemory)
      companions[name] = opened
      return opened
    }
  }

  func forEachCompanion(_ body: (EmbeddingStore) throws(StoreError) -> Void) throws(StoreError) {
    for companion in companions.withLock({ Array($0.values) }) { try body(companion) }
  }

  /// What fails to close is derived or can be tried again, so it is not this store's failure.
  func closeCompanions() {
    let open = companions.withLock { companions in
      defer { companions = [:] }
      return Array(companions.values)
    }
    for companion in open { try? companion.close() }
  }
}
