import Synchronization

/// Letting another store take the place of this one.
extension StoreFiles {
  /// Lets the store at `other` and this one change places, in one step, while nobody writes to either;
  /// durable when this returns.
  ///
  /// `prepare` is called before that with everything that was committed here, and must leave the
  /// other store closed, with all of it on the medium. Contents of this store stay readable after;
  /// writing to it, by whomever, throws `.storeMoved`.
  ///
  /// Throws `.alreadyOpenForWriting` when this process has the other store open. After an error the
  /// directories are where they were, unless it is that of the last sync.
  package func exchangePlaces(
    with other: String, after prepare: (Contents) throws(StorageError) -> Void
  ) throws(StorageError) {
    try checkProcess()
    try checkWritable()
    try writer.withLock { (writer) throws(StorageError) in
      try withWriterLock(&writer) { (writer) throws(StorageError) in
        try prepareForAppending(&writer)
        try prepare(writer.generation.contents)
        try synchronize(&writer)
        try withLock(onStoreAt: other) { () throws(StorageError) in
          try directory.fileSystem.exchange(directory.path, with: other)
        }
        writer.appendable = nil
        unregister(&writer)
        try directory.fileSystem.syncDirectory(StoreDirectory.parent(of: directory.path))
      }
    }
  }

  /// Runs `body` while nobody writes to another store: whoever waits for it works by path, and finds
  /// that its store moved when its turn comes.
  private func withLock(
    onStoreAt path: String, _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    let other = StoreDirectory(directory.fileSystem, path: path)
    _ = try other.readManifest()
    guard let attributes = try directory.fileSystem.attributes(of: path) else {
      throw WriterLock.storeMoved(other)
    }
    try OpenStores.register(attributes.identity, path: path)
    defer { OpenStores.unregister(attributes.identity) }
    try WriterLock(other, timeout: options.lockTimeout).withLock(body)
  }
}
