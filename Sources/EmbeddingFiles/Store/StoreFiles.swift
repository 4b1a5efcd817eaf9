import Synchronization

/// The files of one store: opens them, commits to the journal, compacts, and publishes immutable
/// contents.
///
/// Reading takes no lock but the brief one around the published contents. Writing is one at a
/// time in this process (`writer`) and among processes (`WriterLock`).
package final class StoreFiles: Sendable {
  package let directory: StoreDirectory
  package let options: StoreFilesOptions
  package let openSummary: OpenSummary
  private let directoryIdentity: FileIdentity
  private let processIdentifier = SystemCall.processIdentifier
  private let published: Mutex<Published>
  let lock: WriterLock
  let writer: Mutex<Writer>
  let isCompacting = Atomic(false)
  /// Backups under way.
  let backupCount = Atomic(0)
  /// Calls of `prepareForSuspension` under way.
  let suspensionCount = Atomic(0)

  private struct Published {
    var contents: Contents
    var journalByteCount: UInt64
    var isClosed = false
  }

  /// What only the one who writes or refreshes uses.
  struct Writer {
    var generation: OpenGeneration
    /// The journal opened for appending; nil until the first commit.
    var appendable: (any File)?
    var buffer = CommitBuffer()
    /// The failure after which nothing may be written until the store is opened again.
    var latched: StorageError?
    var isClosed = false
    /// Whether this process counts the object among those that have the store open for writing.
    var isRegistered: Bool
  }

  // MARK: - Opening and closing

  /// Opens the store in `path`, or creates it when nothing is there and the options say so.
  ///
  /// Opening an existing store writes nothing and takes no lock; it costs time in proportion to
  /// the journal.
  package init(
    _ fileSystem: any FileSystem, path: String, options: StoreFilesOptions
  ) throws(StorageError) {
    let directory = StoreDirectory(fileSystem, path: path)
    self.directory = directory
    self.options = options
    lock = WriterLock(directory, timeout: options.lockTimeout)
    var summary = OpenSummary()
    if try !directory.hasManifest() {
      guard !options.isReadOnly, options.createsIfMissing, let space = options.space else {
        throw StorageError(
          .notFound, path: path,
          "There is no store here. Check the path, or open it for writing to create one.")
      }
      let identifier = StoreIdentifier.random()
      summary.wasCreated = try directory.createFirstGeneration(
        identifier: identifier, lockTimeout: options.lockTimeout
      ) { (file) throws(StorageError) -> MainHeader in
        try MainFileBuilder.writeEmpty(
          to: file, identifier: identifier, generation: 1, space: space)
      }
    }
    guard let attributes = try fileSystem.attributes(of: path) else {
      throw StorageError(.notFound, path: path, "The store's directory is gone.")
    }
    directoryIdentity = attributes.identity
    if !options.isReadOnly { try OpenStores.register(attributes.identity, path: path) }
    do throws(StorageError) {
      let generation = try OpenGeneration.open(directory, options)
      summary.replayedCommitCount = generation.replayedCommitCount
      summary.replayedEntryCount = generation.replayedEntryCount
      summary.journalByteCount = generation.position.offset
      summary.tornTailByteCount = generation.tornTailByteCount
      openSummary = summary
      published = Mutex(
        Published(
          contents: generation.contents, journalByteCount: generation.position.offset))
      writer = Mutex(Writer(generation: generation, isRegistered: !options.isReadOnly))
    } catch {
      if !options.isReadOnly { OpenStores.unregister(attributes.identity) }
      throw error
    }
  }

  deinit {
    writer.withLock { unregister(&$0) }
  }

  /// Lets the store be opened for writing by another object of this process.
  func unregister(_ writer: inout Writer) {
    if writer.isRegistered { OpenStores.unregister(directoryIdentity) }
    writer.isRegistered = false
  }

  /// Puts everything on the medium, notes that in the manifest, and ends the use of this object.
  ///
  /// Contents handed out before stay readable. Later calls throw `.closed`. Throws when a failure
  /// left the file in doubt: nothing is put on the medium then.
  package func close() throws(StorageError) {
    try checkProcess()
    try writer.withLock { (writer) throws(StorageError) in
      guard !writer.isClosed else { return }
      published.withLock { $0.isClosed = true }
      defer {
        writer.isClosed = true
        writer.appendable = nil
        unregister(&writer)
      }
      if let latched = writer.latched { throw previousFailure(latched) }
      guard !options.isReadOnly else { return }
      guard writer.appendable != nil || hasUnsynced(writer) else {
        // A store that is gone has no names to be kept.
        if (try? checkInPlace()) != nil { try syncNames(writer) }
        return
      }
      try withWriterLock(&writer) { (writer) throws(StorageError) in
        try catchUp(&writer)
        if isJournalInDoubt { try prepareForAppending(&writer) }
        try synchronize(&writer)
        if writer.appendable != nil { try recordSynced(&writer) }
      }
    }
  }

  // MARK: - Reading

  /// The contents as of the last commit of this process, or of the last refresh.
  package func contents() throws(StorageError) -> Contents {
    try checkProcess()
    let (contents, isClosed) = published.withLock { ($0.contents, $0.isClosed) }
    guard !isClosed else { throw closed }
    return contents
  }

  /// Takes in what other processes committed; true when there was something.
  package func refresh() throws(StorageError) -> Bool {
    try checkProcess()
    return try writer.withLock { (writer) throws(StorageError) -> Bool in
      guard !writer.isClosed else { throw closed }
      // The file may hold a commit that was reported as failed.
      if let latched = writer.latched { throw previousFailure(latched) }
      let before = writer.generation.position
      let generation = writer.generation.manifest.mainGeneration
      try catchUp(&writer)
      return writer.generation.position != before
        || writer.generation.manifest.mainGeneration != generation
    }
  }

  // MARK: - Writing

  /// Puts everything that was committed on the medium.
  package func synchronize() throws(StorageError) {
    try checkProcess()
    try writer.withLock { (writer) throws(StorageError) in
      guard !writer.isClosed else { throw closed }
      if let latched = writer.latched { throw previousFailure(latched) }
      try catchUp(&writer)
      guard hasUnsynced(writer), !options.isReadOnly else { return try synchronize(&writer) }
      // A journal in doubt is written anew: syncing it again could succeed without doing anything.
      try withWriterLock(&writer) { (writer) throws(StorageError) in
        try prepareForAppending(&writer)
        try synchronize(&writer)
      }
    }
  }

  // MARK: - Parts of the above

  var closed: StorageError {
    StorageError(
      .closed, path: directory.path, "The store was closed before this call. Open it again.")
  }

  /// Bytes of the journal, through the last commit.
  package var journalByteCount: Int {
    Int(clamping: published.withLock { $0.journalByteCount })
  }

  func publish(_ generation: OpenGeneration) {
    published.withLock {
      $0.contents = generation.contents
      $0.journalByteCount = generation.position.offset
    }
  }

  func checkProcess() throws(StorageError) {
    guard SystemCall.processIdentifier == processIdentifier else {
      throw StorageError(
        .usedAfterFork, path: directory.path,
        "The store was opened before this process was forked. Open it again in this process.")
    }
  }

  /// The directory at the path must be the one that was opened.
  private func checkInPlace() throws(StorageError) {
    guard let attributes = try directory.fileSystem.attributes(of: directory.path),
      attributes.identity == directoryIdentity
    else { throw WriterLock.storeMoved(directory) }
  }

  func checkWritable() throws(StorageError) {
    guard !options.isReadOnly else {
      throw StorageError(
        .readOnly, path: directory.path,
        "The store was opened read-only. Open it for writing to change it.")
    }
  }

  func withWriterLock<Result>(
    _ writer: inout Writer, _ body: (inout Writer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    guard !writer.isClosed else { throw closed }
    if let latched = writer.latched { throw previousFailure(latched) }
    try checkInPlace()
    return try lock.withLock { () throws(StorageError) -> Result in try body(&writer) }
  }

  /// Takes in what others committed, and makes sure that the journal may be appended to.
  func prepareForAppending(_ writer: inout Writer) throws(StorageError) {
    try catchUp(&writer)
    try writer.generation.manifest.features.checkWritable(path: directory.manifestPath)
    try writer.generation.contents.main.header.features.checkWritable(
      path: writer.generation.contents.main.path)
    if writer.appendable == nil {
      try syncNames(writer)
      directory.sweep(keeping: writer.generation.manifest)
      lock.restoreBallast()
      writer.appendable = try directory.fileSystem.open(
        writer.generation.journal.path, .readWrite)
    }
    if let attributes = try writer.appendable?.attributes(), attributes.linkCount > 1 {
      throw StorageError(
        .hardLinked, path: writer.generation.journal.path,
        "The journal has a second name (hard link), so that writing would change a copy. Make "
          + "copies with the backup function, and remove that link.")
    }
    if writer.generation.needsRotation || isJournalInDoubt {
      try rotateJournal(&writer)
      OpenStores.rewrote(directoryIdentity)
      lock.clearDoubt()
    }
  }

  /// Whether a sync failed since the journal was last written anew. The lock must be held.
  private var isJournalInDoubt: Bool {
    OpenStores.needsRewrite(directoryIdentity) || lock.isJournalInDoubt
  }

  private func catchUp(_ writer: inout Writer) throws(StorageError) {
    try checkInPlace()
    let manifest: Manifest
    do throws(StorageError) {
      manifest = try directory.readManifest()
    } catch  where error.code == .notFound {
      throw WriterLock.storeMoved(directory)
    }
    if manifest.names(sameFilesAs: writer.generation.manifest) {
      writer.generation.manifest = manifest
      try writer.generation.catchUp()
    } else {
      guard manifest.identifier == writer.generation.manifest.identifier else {
        throw StorageError(
          .storeMoved, path: directory.path,
          "Another store took the place of this one while it was open. Open it again.")
      }
      writer.generation = try OpenGeneration.open(directory, options)
      writer.appendable = nil
    }
    publish(writer.generation)
  }

  private func hasUnsynced(_ writer: borrowing Writer) -> Bool {
    writer.generation.position.syncedThrough < writer.generation.position.offset
  }

  /// Puts the names of the files on the medium, unless that was done before writing to them: whoever
  /// published them may have failed or been killed before.
  private func syncNames(_ writer: borrowing Writer) throws(StorageError) {
    if writer.appendable == nil { try directory.syncNames(of: writer.generation.manifest) }
  }

  /// Puts the journal on the medium, and the names without which it would not be found.
  func synchronize(_ writer: inout Writer) throws(StorageError) {
    try syncNames(writer)
    guard hasUnsynced(writer) else { return }
    try latchingFailure(&writer) { (journal) throws(StorageError) in
      try journal.sync(.full)
    }
    writer.generation.position.syncedThrough = writer.generation.position.offset
  }

  /// A failed sync is never repeated: the system may have dropped the bytes and call a second one
  /// a success.
  func latchingFailure(
    _ writer: inout Writer, _ sync: (any File) throws(StorageError) -> Void
  ) throws(StorageError) {
    do throws(StorageError) {
      try sync(writer.appendable ?? writer.generation.journal)
    } catch {
      if !Sabotage.skips(.latch) { writer.latched = error }
      if !Sabotage.skips(.doubt) {
        OpenStores.syncFailed(in: directoryIdentity)
        lock.noteDoubt()
      }
      throw error
    }
  }

  private func previousFailure(_ failure: StorageError) -> StorageError {
    StorageError(
      .previousInputOutputError, path: failure.path,
      "An earlier write failed in a way that leaves the file in doubt (\(failure.message)). "
        + "Open the store again to go on from what is on the medium.",
      systemErrorNumber: failure.systemErrorNumber)
  }
}

extension Manifest {
  /// Whether both name the same main file and journal; what is known of them may differ.
  func names(sameFilesAs other: Manifest) -> Bool {
    identifier == other.identifier && mainGeneration == other.mainGeneration
      && journalGeneration == other.journalGeneration && journalSalt == other.journalSalt
  }
}
