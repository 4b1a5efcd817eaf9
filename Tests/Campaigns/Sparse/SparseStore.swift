import EmbeddingFiles
import Foundation

/// A store on a real file system whose main file is mostly holes.
struct SparseStore {
  let url: URL
  let main: SparseMainFile

  private var mainPath: String { url.appending(path: "main-1").path }

  /// Writes main file, journal and manifest.
  func write() throws {
    let fileSystem = POSIXFileSystem()
    try fileSystem.createDirectory(url.path)
    let identifier = StoreIdentifier.random()
    let header = try main.write(
      to: fileSystem.open(mainPath, .create), identifier: identifier)
    let journal = JournalHeader(
      identifier: identifier, generation: 1, mainGeneration: 1,
      mainHeaderChecksum: header.checksum, dimension: main.space.dimension, salt: 1,
      firstSequence: header.lastSequence + 1)
    let manifest = Manifest(
      identifier: identifier, mainGeneration: 1, journalGeneration: 1,
      mainHeaderChecksum: header.checksum, journalSalt: journal.salt,
      journalSyncedThrough: UInt64(JournalHeader.byteCount), lastGeneration: 1)
    try Data(journal.encoded()).write(to: url.appending(path: "journal-1"))
    try Data(manifest.encoded()).write(to: url.appending(path: "MANIFEST"))
  }

  /// Bytes of the medium that the main file takes.
  func allocatedByteCount() throws -> Int {
    var status = stat()
    guard stat(mainPath, &status) == 0 else { throw CocoaError(.fileReadUnknown) }
    return Int(status.st_blocks) * 512
  }

  func byteCount() throws -> UInt64 {
    try POSIXFileSystem().attributes(of: mainPath)?.byteCount ?? 0
  }

  func openMainFile() throws(StorageError) -> MainFile {
    try MainFile(POSIXFileSystem(), path: mainPath, mode: .mapped)
  }
}
