extension StoreFiles {
  /// Writes the journal's commits into a new file and publishes it, leaving behind an unfinished
  /// append or bytes that a failed sync put in doubt. The caller holds the lock.
  func rotateJournal(_ writer: inout Writer) throws(StorageError) {
    let old = writer.generation
    let start = JournalPosition(after: old.journalHeader)
    let next = try publishJournal(
      continuing: old.contents.main.header, after: start, carryingFrom: old, writer: &writer
    ) { (manifest) throws(StorageError) -> OpenGeneration in
      // The contents do not change, so they are kept rather than read again.
      try OpenGeneration(replacingJournalOf: old, with: manifest)
    }
    try? directory.fileSystem.unlink(directory.journalPath(old.manifest.journalGeneration))
    writer.generation = next
  }

  /// Notes in the manifest how much of the journal is on the medium, so that a later loss of it
  /// is noticed. The caller holds the lock.
  func recordSynced(_ writer: inout Writer) throws(StorageError) {
    let synced = writer.generation.position.syncedThrough
    guard writer.generation.manifest.journalSyncedThrough < synced else { return }
    var manifest = writer.generation.manifest
    manifest.journalSyncedThrough = synced
    try directory.publish(manifest)
    writer.generation.manifest = manifest
  }

  /// Creates a journal that continues `main`, with the entries of `source` from `start` on,
  /// opens it with `open`, and publishes a manifest that names both: the commit point.
  ///
  /// After an error the generation before is in force, or nothing more is written until the
  /// store is opened again.
  func publishJournal(
    continuing main: MainHeader, after start: JournalPosition, carryingFrom source: OpenGeneration,
    writer: inout Writer, open: (Manifest) throws(StorageError) -> OpenGeneration
  ) throws(StorageError) -> OpenGeneration {
    let old = source.manifest
    // A rotation keeps the main file, so the journal alone takes the next number.
    let number = max(old.lastGeneration + 1, main.generation)
    let header = JournalHeader(
      identifier: old.identifier, generation: number, mainGeneration: main.generation,
      mainHeaderChecksum: main.checksum, dimension: main.space.dimension,
      salt: .random(in: .min ... .max), firstSequence: start.nextSequence)
    let entries = try source.checkedJournalBytes(from: start)
    let (file, position) = try directory.createJournal(header) { encoder in
      entries.withRawSpan { span in
        var offset = 0
        while let entry = JournalEntryHeader(span, at: offset) {
          let payload = offset + JournalEntryHeader.byteCount
          // The entries were checked, so that their types are known.
          guard let kind = entry.kind else { return }
          encoder.append(
            kind, payload: span.extracting(payload..<payload + entry.payloadByteCount))
          offset += entry.entryByteCount
        }
      }
    }
    let path = directory.journalPath(number)
    let manifest = Manifest(
      identifier: old.identifier, mainGeneration: main.generation, journalGeneration: number,
      mainHeaderChecksum: main.checksum, journalSalt: header.salt,
      journalSyncedThrough: position.syncedThrough, lastGeneration: number)
    do throws(StorageError) {
      let next = try open(manifest)
      guard next.position == position else {
        throw StorageError(
          .inputOutput, path: path,
          "The journal that was just written does not read back. Check the volume.")
      }
      try directory.fileSystem.syncDirectory(directory.path)
      try directory.publish(manifest)
      writer.appendable = file
      return next
    } catch {
      if (try? directory.readManifest()) == old {
        try? directory.fileSystem.unlink(path)
      } else {
        writer.latched = error
      }
      throw error
    }
  }
}
