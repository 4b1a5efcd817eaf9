import Synchronization

/// Letting another store take the place of this one.
extension StoreFiles {
  /// Lets the directory at `other` and this store's change places, in one step, while nobody writes
  /// to this store; durable when this returns.
  ///
  /// `prepare` is called before that with everything that was committed here, and must leave the
  /// other store closed, with all of it on the medium. Contents of this store stay readable after;
  /// writing to it, by whomever, throws `.storeMoved`.
  ///
  /// After an error the directories are where they were, unless it is that of the last sync.
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
        try directory.fileSystem.exchange(directory.path, with: other)
        writer.appendable = nil
        unregister(&writer)
        try directory.fileSystem.syncDirectory(StoreDirectory.parent(of: directory.path))
      }
    }
  }
}
