internal import EmbeddingFiles
internal import Synchronization

extension EmbeddingStore {
  /// Opens, or creates, a store in the directory `name` of this store's own: for what belongs to it
  /// and goes where it goes. It is opened once, and closed with this one. A backup does not hold it.
  package func companion(
    named name: String, space: EmbeddingSpace
  ) throws(StoreError) -> EmbeddingStore {
    try companions.withLock { (companions) throws(StoreError) -> EmbeddingStore in
      if let open = companions[name] { return open }
      let opened = try EmbeddingStore(
        files.directory.fileSystem, path: "\(files.directory.path)/\(name)", space: space,
        isReadOnly: false, StoreConfiguration(), isInMemory: isInMemory)
      companions[name] = opened
      return opened
    }
  }

  func closeCompanions() throws(StoreError) {
    let open = companions.withLock { companions in
      defer { companions = [:] }
      return companions.values
    }
    for companion in open { try companion.close() }
  }
}
