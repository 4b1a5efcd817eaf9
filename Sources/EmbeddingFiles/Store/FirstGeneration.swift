extension StoreDirectory {
  /// Makes a directory a store whose first generation `writeMain` writes, unless it is one.
  ///
  /// A crash at any point leaves a directory without a manifest, which the next call makes a
  /// store. Returns false when another process was quicker.
  func createFirstGeneration(
    identifier: StoreIdentifier, lockTimeout: Duration,
    writeMain: (any File) throws(StorageError) -> MainHeader
  ) throws(StorageError) -> Bool {
    try fileSystem.createDirectory(path)
    try checkMayBecomeStore()
    let lock = WriterLock(self, timeout: lockTimeout)
    return try lock.withLock { () throws(StorageError) -> Bool in
      guard try fileSystem.attributes(of: manifestPath) == nil else { return false }
      try checkMayBecomeStore()
      lock.restoreBallast()
      do throws(StorageError) {
        try writeFirstGeneration(identifier: identifier, writeMain: writeMain)
      } catch {
        // Without its manifest a directory is no store, so that goes first.
        try? fileSystem.unlink(manifestPath)
        try? fileSystem.unlink(mainPath(1))
        try? fileSystem.unlink(journalPath(1))
        throw error
      }
      return true
    }
  }

  private func writeFirstGeneration(
    identifier: StoreIdentifier, writeMain: (any File) throws(StorageError) -> MainHeader
  ) throws(StorageError) {
    let mainPath = mainPath(1)
    // What an interrupted creation left holds nothing.
    try fileSystem.unlink(mainPath)
    let main = try fileSystem.open(mainPath, .create)
    let header = try writeMain(main)
    try main.sync(.full)
    try main.close()
    let journalHeader = JournalHeader(
      identifier: identifier, generation: 1, mainGeneration: 1,
      mainHeaderChecksum: header.checksum, dimension: header.space.dimension,
      salt: .random(in: .min ... .max), firstSequence: header.lastSequence + 1)
    let (journal, position) = try createJournal(journalHeader) { _ in }
    try journal.close()
    try fileSystem.syncDirectory(path)
    try publish(
      Manifest(
        identifier: identifier, mainGeneration: 1, journalGeneration: 1,
        mainHeaderChecksum: header.checksum, journalSalt: journalHeader.salt,
        journalSyncedThrough: position.syncedThrough, lastGeneration: 1))
    try fileSystem.syncDirectory(Self.parent(of: path))
  }

  /// Refuses a directory that holds anything but what an interrupted creation may leave.
  private func checkMayBecomeStore() throws(StorageError) {
    let names = try fileSystem.list(path)
    if names.contains(Manifest.fileName) {
      // Another process was quicker, or the name is a link that leads nowhere.
      guard try fileSystem.attributes(of: manifestPath) == nil else { return }
      throw StorageError(
        .corrupt, path: manifestPath,
        "The manifest is a link to something that is not there. Put that back, or restore the "
          + "store from a backup.")
    }
    for name in names where !name.hasPrefix(".") && name != Self.lockName {
      if name.hasSuffix(".tmp") { continue }
      if name == "main-1" {
        // An interrupted creation leaves no rows; a file that has room for one may be all that is
        // left of a store, whether or not it can be read.
        let attributes = try fileSystem.attributes(of: mainPath(1))
        guard (attributes?.byteCount ?? 0) > UInt64(MainHeader.byteCount + 128) else { continue }
      }
      if name == "journal-1" {
        let attributes = try fileSystem.attributes(of: journalPath(1))
        guard (attributes?.byteCount ?? 0) > UInt64(JournalHeader.byteCount) else { continue }
      }
      let isPartOfStore = name.hasPrefix("main-") || name.hasPrefix("journal-")
      guard isPartOfStore else {
        throw StorageError(
          .notAStore, path: path,
          "The directory is not a store and holds other files (\"\(name)\"). Give the store a "
            + "directory of its own.")
      }
      throw StorageError(
        .corrupt, path: manifestPath,
        "The manifest is missing, but \(name) is there. Restore the store from a backup.")
    }
  }
}
