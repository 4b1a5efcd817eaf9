/// The names in a store's directory, and the steps that publish files there.
package struct StoreDirectory: Sendable {
  package let fileSystem: any FileSystem
  package let path: String

  package static let lockName = "LOCK"

  package init(_ fileSystem: any FileSystem, path: String) {
    self.fileSystem = fileSystem
    self.path = path
  }

  package var manifestPath: String { "\(path)/\(Manifest.fileName)" }
  package var lockPath: String { "\(path)/\(Self.lockName)" }

  package func mainPath(_ generation: UInt64) -> String { "\(path)/main-\(generation)" }
  package func journalPath(_ generation: UInt64) -> String { "\(path)/journal-\(generation)" }

  /// A name that no other process uses, for a file that is not published yet.
  func temporaryPath() -> String {
    "\(path)/\(UInt64.random(in: .min ... .max)).tmp"
  }

  /// Whether the directory has a manifest; throws when the path can not hold a store.
  func hasManifest() throws(StorageError) -> Bool {
    guard let attributes = try fileSystem.attributes(of: path) else { return false }
    guard attributes.kind == .directory else {
      throw StorageError(
        .notADirectory, path: path,
        "A store is a directory, and this is not one. Use another path, or move it away.")
    }
    return try fileSystem.attributes(of: manifestPath) != nil
  }

  /// Reads and checks the manifest.
  package func readManifest() throws(StorageError) -> Manifest {
    let file = try fileSystem.open(manifestPath, .read)
    let bytes = try file.read(at: 0, byteCount: 2 * Manifest.byteCount)
    try file.close()
    return try bytes.withRawSpan { (span) throws(StorageError) -> Manifest in
      try Manifest(span, path: manifestPath)
    }
  }

  /// Replaces the manifest: the commit point. Durable when this returns.
  ///
  /// After an error the old or the new manifest may be in force.
  func publish(_ manifest: Manifest) throws(StorageError) {
    let temporary = temporaryPath()
    do throws(StorageError) {
      let file = try fileSystem.open(temporary, .create)
      try manifest.encoded().withRawSpan { (span) throws(StorageError) in
        try file.write(span, at: 0)
      }
      try file.sync(.full)
      try file.close()
      try fileSystem.rename(temporary, to: manifestPath)
    } catch {
      try? fileSystem.unlink(temporary)
      throw error
    }
    try fileSystem.syncDirectory(path)
  }

  /// Creates a journal whose entries `encode` frames; on the medium when this returns.
  func createJournal(
    _ header: JournalHeader, entries: (inout JournalEncoder) -> Void
  ) throws(StorageError) -> (file: any File, position: JournalPosition) {
    let path = journalPath(header.generation)
    // What a crash left under this name belongs to no manifest.
    try fileSystem.unlink(path)
    let file = try fileSystem.open(path, .create)
    do throws(StorageError) {
      var encoder = JournalEncoder(
        at: JournalPosition(after: header), seed: header.checksumSeed, reusing: ByteWriter())
      entries(&encoder)
      try header.encoded().withRawSpan { (span) throws(StorageError) in
        try file.write(span, at: 0)
      }
      try encoder.writer.withRawSpan { (span) throws(StorageError) in
        try file.write(span, at: UInt64(JournalHeader.byteCount))
      }
      try file.sync(.full)
      var position = encoder.position
      position.syncedThrough = position.offset
      return (file, position)
    } catch {
      try? fileSystem.unlink(path)
      throw error
    }
  }

  /// Puts the names of the files that a manifest names, and its own, on the medium.
  func syncNames(of manifest: Manifest) throws(StorageError) {
    try fileSystem.syncDirectory(path)
    // The first generation makes the directory itself new.
    if manifest.mainGeneration == 1 { try fileSystem.syncDirectory(Self.parent(of: path)) }
  }

  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Removes files that the manifest does not name and that nobody is writing. The caller holds
  /// the lock. Failures are left for the next time.
  func sweep(keeping manifest: Manifest) {
    let kept = [
      Manifest.fileName, Self.lockName, "main-\(manifest.mainGeneration)",
      "journal-\(manifest.journalGeneration)",
    ]
    guard let names = try? fileSystem.list(path) else { return }
    for name in names where !kept.contains(name) && Self.isOurs(name) {
      let candidate = "\(path)/\(name)"
      // A compaction under way in another process holds the lock of its unpublished file.
      if name.hasSuffix(".tmp") {
        guard let file = try? fileSystem.open(candidate, .readWrite),
          (try? file.tryLock()) == true
        else { continue }
        try? fileSystem.unlink(candidate)
        try? file.close()
      } else {
        try? fileSystem.unlink(candidate)
      }
    }
  }

  private static func isOurs(_ name: String) -> Bool {
    for prefix in ["main-", "journal-"] where name.hasPrefix(prefix) {
      return UInt64(name.dropFirst(prefix.count)) != nil
    }
    return name.hasSuffix(".tmp") && UInt64(name.dropLast(4)) != nil
  }
}
