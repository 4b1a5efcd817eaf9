import Synchronization

extension StoreFiles {
  /// Writes the live rows into a new main file and continues with an empty journal.
  ///
  /// Rows are written from a snapshot, without the lock; only the last step, which carries over
  /// what was committed meanwhile, holds it. `progress` is called with rows written and rows in
  /// all, and throws to give up. After an error or a crash the generation before is in force, with
  /// every commit. Returns false when there was nothing to do.
  package func compact(
    progress: (Int, Int) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try checkProcess()
    try checkWritable()
    guard isCompacting.exchange(true, ordering: .acquiring) == false else {
      throw StorageError(
        .compactionInProgress, path: directory.path,
        "The store is being compacted already. Wait for that to end.")
    }
    defer { isCompacting.store(false, ordering: .releasing) }
    try checkNotSuspending()
    let temporary = directory.temporaryPath()
    let begun = try writer.withLock { (writer) throws(StorageError) in
      try withWriterLock(&writer) { (writer) throws(StorageError) -> (OpenGeneration, any File)? in
        try prepareForAppending(&writer)
        let generation = writer.generation
        guard
          generation.contents.deadRowCount > 0
            || generation.position.offset > JournalHeader.byteCount
        else { return nil }
        // Locked before anyone else can sweep, which tells a sweep that this file is in use.
        let file = try directory.fileSystem.open(temporary, .create)
        guard try file.tryLock() else { throw closed }
        return (generation, file)
      }
    }
    guard let (start, file) = begun else { return false }
    do throws(StorageError) {
      let rows = liveRows(of: start.contents)
      try checkSpace(for: start.contents, rowCount: rows.count)
      let header = try MainFileBuilder(
        contents: start.contents, rows: rows, coding: options.rowCoding
      ).write(
        to: file, identifier: start.manifest.identifier,
        generation: start.manifest.lastGeneration + 1,
        maximumRowLength: start.contents.maximumRowLength
      ) { (done) throws(StorageError) in
        try checkNotSuspending()
        try progress(done, rows.count)
      }
      try file.sync(.full)
      try writer.withLock { (writer) throws(StorageError) in
        try withWriterLock(&writer) { (writer) throws(StorageError) in
          try switchGeneration(to: header, at: temporary, from: start, &writer)
        }
      }
      try? file.close()
    } catch {
      try? directory.fileSystem.unlink(temporary)
      throw error
    }
    return true
  }

  private func switchGeneration(
    to header: MainHeader, at temporary: String, from start: OpenGeneration,
    _ writer: inout Writer
  ) throws(StorageError) {
    try prepareForAppending(&writer)
    let old = writer.generation
    guard old.manifest.names(sameFilesAs: start.manifest) else {
      throw StorageError(
        .compactionInProgress, path: directory.path,
        "Another process compacted the store at the same time. Nothing was changed by this one.")
    }
    let mainPath = directory.mainPath(header.generation)
    try directory.fileSystem.rename(temporary, to: mainPath)
    let next: OpenGeneration
    do throws(StorageError) {
      next = try publishJournal(
        continuing: header, after: start.position, carryingFrom: old, writer: &writer
      ) { (manifest) throws(StorageError) -> OpenGeneration in
        try OpenGeneration(directory, manifest, options)
      }
    } catch {
      if writer.latched == nil { try? directory.fileSystem.unlink(mainPath) }
      throw error
    }
    writer.generation = next
    publish(next)
    lock.restoreBallast()
    // Open readers keep the old files alive; what can not be removed now is swept later.
    try? directory.fileSystem.unlink(directory.mainPath(old.manifest.mainGeneration))
    try? directory.fileSystem.unlink(directory.journalPath(old.manifest.journalGeneration))
  }

  /// Writes the live rows as the first generation of a new store in another directory.
  ///
  /// `progress` is called now and then, and throws to give up.
  package func backUp(
    to path: String, on fileSystem: any FileSystem, progress: () throws(StorageError) -> Void
  ) throws(StorageError) {
    try checkNotSuspending()
    backupCount.add(1, ordering: .acquiring)
    defer { backupCount.subtract(1, ordering: .releasing) }
    let contents = try contents()
    let rows = liveRows(of: contents)
    let destination = StoreDirectory(fileSystem, path: path)
    if try destination.fileSystem.attributes(of: path) != nil,
      try destination.fileSystem.list(path).contains(where: { !$0.hasPrefix(".") })
    {
      throw StorageError(
        .alreadyExists, path: path,
        "A backup needs a new or empty directory, and this one holds something.")
    }
    let identifier = StoreIdentifier.random()
    let isCreated: Bool
    do throws(StorageError) {
      isCreated = try destination.createFirstGeneration(
        identifier: identifier, lockTimeout: options.lockTimeout
      ) { (file) throws(StorageError) -> MainHeader in
        try MainFileBuilder(contents: contents, rows: rows, coding: options.rowCoding).write(
          to: file, identifier: identifier, generation: 1,
          maximumRowLength: contents.maximumRowLength
        ) { (_) throws(StorageError) in
          try checkNotSuspending()
          try progress()
        }
      }
    } catch {
      // Unless somebody else is making a store there, the directory was empty and is so again.
      if error.code != .locked, (try? destination.hasManifest()) == false {
        try? destination.fileSystem.unlink(destination.lockPath)
      }
      throw error
    }
    guard isCreated else {
      throw StorageError(
        .alreadyExists, path: path, "Another process created a store here at the same time.")
    }
  }

  private func checkNotSuspending() throws(StorageError) {
    guard suspensionCount.load(ordering: .acquiring) == 0 else {
      throw StorageError(
        .cancelled, path: directory.path,
        "Given up for the app's suspension. Nothing was changed.")
    }
  }

  private func liveRows(of contents: Contents) -> [UInt32] {
    var rows: [UInt32] = []
    rows.reserveCapacity(contents.liveRowCount)
    contents.live.forEach(in: 0..<contents.rowCount) { row in
      rows.append(UInt32(truncatingIfNeeded: row))
    }
    return rows
  }

  /// Refuses to begin what would fill the disk.
  private func checkSpace(for contents: Contents, rowCount: Int) throws(StorageError) {
    // The live share of the old files, and as much again as their columns and index may grow.
    let perRow = contents.stride + 128
    let (rows, overflow) = rowCount.multipliedReportingOverflow(by: perRow)
    let codes = options.rowCoding?.byteCount(rowCount, contents.space.dimension) ?? 0
    let details =
      contents.main.bytes.byteCount - contents.main.rowCount * contents.stride
      - contents.main.codeByteCount
    let old = Double(max(details, 0)) + Double(contents.journal.byteCount)
    let liveShare = Double(rowCount) / Double(max(contents.rowCount, 1))
    let needed = UInt64(rows) + UInt64(codes) + UInt64(old * liveShare)
    let available = try directory.fileSystem.availableByteCount(at: directory.path)
    guard !overflow, available >= needed else {
      throw StorageError(
        .noSpace, path: directory.path,
        "Compaction needs about \(needed) bytes of free space and finds \(available). Free some; "
          + "the store works on without it.")
    }
  }
}
