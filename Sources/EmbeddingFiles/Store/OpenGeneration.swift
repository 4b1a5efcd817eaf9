/// One generation as this process has it open: the manifest that names it, its contents, and how
/// far its journal has been read.
struct OpenGeneration: Sendable {
  let directory: StoreDirectory
  var manifest: Manifest
  let journalHeader: JournalHeader
  let journal: any File
  var position: JournalPosition
  var contents: Contents
  /// Bytes behind `position`: an append that did not finish, or one under way elsewhere.
  var tornTailByteCount: UInt64 = 0
  var replayedCommitCount = 0
  var replayedEntryCount = 0

  /// Whether the journal must be written anew before anything is appended: something follows the
  /// last commit, or less was kept than was on the medium once.
  var needsRotation: Bool {
    tornTailByteCount > 0 || hasUnreadableHeader
      || manifest.journalSyncedThrough > position.offset
  }

  private var hasUnreadableHeader = false
  private let salvagesJournal: Bool

  /// Opens what the manifest names, trying again while a compaction elsewhere replaces it, or another
  /// store takes the place of this one.
  static func open(
    _ directory: StoreDirectory, _ options: StoreFilesOptions
  ) throws(StorageError) -> OpenGeneration {
    var manifest = try directory.readManifest()
    for _ in 0..<100 {
      do throws(StorageError) {
        let opened = try OpenGeneration(directory, manifest, options)
        guard opened.hasUnreadableHeader else { return opened }
        let current = try directory.readManifest()
        guard current.identifier != manifest.identifier else { return opened }
        manifest = current
      } catch  where [.notFound, .corrupt, .journalCorrupt].contains(error.code) {
        // Files of another manifest are not those that this one names, and do not check.
        let current = try directory.readManifest()
        guard current != manifest else { throw error.code == .notFound ? missing(error) : error }
        manifest = current
      }
    }
    throw StorageError(
      .locked, path: directory.path,
      "The store was compacted again and again while it was being opened. Try again.")
  }

  private static func missing(_ error: StorageError) -> StorageError {
    StorageError(
      .corrupt, path: error.path,
      "The manifest names this file, but it is not there. Restore the store from a backup.",
      systemErrorNumber: error.systemErrorNumber)
  }

  init(
    _ directory: StoreDirectory, _ manifest: Manifest, _ options: StoreFilesOptions
  ) throws(StorageError) {
    self.directory = directory
    self.manifest = manifest
    salvagesJournal = options.salvagesJournal
    let main = try MainFile(
      directory.fileSystem, path: directory.mainPath(manifest.mainGeneration),
      mode: options.mapMode)
    guard main.header.identifier == manifest.identifier,
      main.header.generation == manifest.mainGeneration,
      main.header.checksum == manifest.mainHeaderChecksum
    else {
      throw StorageError(
        .corrupt, path: main.path,
        "The main file is not the one that the manifest names: files of different stores or "
          + "times were mixed. Copy a store with its backup function.")
    }
    try Self.check(options.space, main)
    contents = Contents(main: main, rowLength: options.rowLength)
    let path = directory.journalPath(manifest.journalGeneration)
    journal = try directory.fileSystem.open(path, .read)
    do throws(StorageError) {
      journalHeader = try Self.readHeader(of: journal, manifest, main)
    } catch  where options.salvagesJournal && error.code == .journalCorrupt {
      // Nothing in this journal can be checked, so its commits are lost and the rest is not.
      journalHeader = JournalHeader(
        identifier: manifest.identifier, generation: manifest.journalGeneration,
        mainGeneration: manifest.mainGeneration,
        mainHeaderChecksum: manifest.mainHeaderChecksum, dimension: main.header.space.dimension,
        salt: manifest.journalSalt, firstSequence: main.header.lastSequence + 1)
      hasUnreadableHeader = true
    }
    position = JournalPosition(after: journalHeader)
    try catchUp()
  }

  /// The same main file and contents with a journal that holds the same commits anew.
  init(replacingJournalOf old: OpenGeneration, with manifest: Manifest) throws(StorageError) {
    directory = old.directory
    self.manifest = manifest
    salvagesJournal = old.salvagesJournal
    contents = old.contents
    journal = try directory.fileSystem.open(
      directory.journalPath(manifest.journalGeneration), .read)
    journalHeader = try Self.readHeader(of: journal, manifest, contents.main)
    // Entries keep their sizes, so every offset stays; checksums and chain are new.
    let end = old.position
    position = JournalPosition(after: journalHeader)
    let replay = JournalReplay(
      path: journal.path, seed: journalHeader.checksumSeed, dimension: contents.space.dimension,
      knownSyncedThrough: manifest.journalSyncedThrough, salvagesPrefix: false)
    position = try replay.run(journal, from: position, to: end.offset) {
      (_, _) throws(StorageError) in
    }.position
    position.syncedThrough = max(position.syncedThrough, manifest.journalSyncedThrough)
  }

  /// Reads and applies what was appended to the journal since.
  mutating func catchUp() throws(StorageError) {
    let end = try journal.attributes().byteCount
    guard end > position.offset || manifest.journalSyncedThrough > position.offset else {
      tornTailByteCount = 0
      return
    }
    let replay = JournalReplay(
      path: journal.path, seed: journalHeader.checksumSeed,
      dimension: contents.space.dimension,
      knownSyncedThrough: manifest.journalSyncedThrough, salvagesPrefix: salvagesJournal)
    var next = contents
    let firstNewRow = contents.journalRowCount
    do throws(StorageError) {
      let outcome = try replay.run(journal, from: position, to: end) {
        (entries, bytes) throws(StorageError) in
        var editor = ContentsEditor(next)
        for entry in entries {
          do throws(StorageError) {
            try editor.apply(
              entry.change, sequence: entry.sequence, row: bytes.extracting(entry.row))
          } catch  where error.code == .notFound {
            throw StorageError(.journalCorrupt, path: journal.path, error.message)
          }
        }
        next = editor.current
      }
      position = outcome.position
      position.syncedThrough = min(
        max(position.syncedThrough, manifest.journalSyncedThrough), position.offset)
      tornTailByteCount = outcome.tornTailByteCount
      replayedCommitCount += outcome.commitCount
      replayedEntryCount += outcome.entryCount
      contents = next
    } catch {
      contents.journal.removeRows(from: firstNewRow)
      throw error
    }
  }

  private static func readHeader(
    of journal: any File, _ manifest: Manifest, _ main: MainFile
  ) throws(StorageError) -> JournalHeader {
    let bytes = try journal.read(at: 0, byteCount: JournalHeader.byteCount)
    let header = try bytes.withRawSpan { (span) throws(StorageError) -> JournalHeader in
      try JournalHeader(span, path: journal.path)
    }
    guard header.identifier == manifest.identifier,
      header.generation == manifest.journalGeneration, header.salt == manifest.journalSalt,
      header.firstSequence > main.header.lastSequence,
      header.mainGeneration == manifest.mainGeneration,
      header.mainHeaderChecksum == manifest.mainHeaderChecksum,
      header.dimension == main.header.space.dimension
    else {
      throw StorageError(
        .journalCorrupt, path: journal.path,
        "The journal does not continue the main file that the manifest names: files of "
          + "different stores or times were mixed. Copy a store with its backup function.")
    }
    return header
  }

  private static func check(
    _ expected: SpaceDescription?, _ main: MainFile
  ) throws(StorageError) {
    guard let expected, expected != main.header.space else { return }
    throw StorageError(
      .spaceMismatch, path: main.path,
      "The store holds vectors of \(main.header.space.summary), not of \(expected.summary). "
        + "Vectors of different spaces can not be compared. Open it with its own space, and move it "
        + "to the other one with SpaceMigration (EmbeddingIndexing); or use another directory.")
  }
}

extension SpaceDescription {
  /// One line for messages, with names in quotes so that stray spaces show.
  package var summary: String {
    "model \"\(model)\" revision \"\(revision)\" with \(dimension) dimensions, "
      + (isNormalized ? "normalised" : "not normalised")
  }
}
