internal import EmbeddingFiles
internal import EmbeddingStores

/// A file that is written under a name of its own, and gets the one it is for when it is whole.
///
/// A kill leaves `<name>.<number>.tmp` behind, which may be deleted.
final class UnfinishedFile {
  let path: String
  private let fileSystem: any FileSystem
  private let temporaryPath: String
  private let file: any File
  private var offset: UInt64 = 0

  /// - Throws: `.alreadyExists` when something is at `path`: nothing is ever replaced.
  init(_ path: String, on fileSystem: any FileSystem) throws(StoreError) {
    self.path = path
    self.fileSystem = fileSystem
    let temporaryPath = Self.temporaryPath(for: path)
    self.temporaryPath = temporaryPath
    file = try translatingErrors { () throws(StorageError) in
      try fileSystem.checkIsFree(path)
      return try fileSystem.open(temporaryPath, .create)
    }
  }

  /// A name beside `path` that nobody else uses.
  static func temporaryPath(for path: String) -> String {
    "\(path).\(UInt64.random(in: .min ... .max)).tmp"
  }

  func append(_ bytes: RawSpan) throws(StoreError) {
    try translatingErrors { () throws(StorageError) in try file.write(bytes, at: offset) }
    offset += UInt64(bytes.byteCount)
  }

  func append(_ bytes: [UInt8]) throws(StoreError) {
    try bytes.withRawSpan { (span) throws(StoreError) in try append(span) }
  }

  /// Puts everything on the medium; nothing may be appended after.
  func finish() throws(StoreError) {
    try translatingErrors { () throws(StorageError) in
      try file.sync(.full)
      try file.close()
    }
  }

  /// Gives the finished file its name, durably. After an error nothing has the name that had not before.
  func publish() throws(StoreError) {
    try translatingErrors { () throws(StorageError) in
      try fileSystem.publish(temporaryPath, as: path)
    }
  }

  /// Removes what was written, as far as the system lets it.
  func discard() {
    try? file.close()
    try? fileSystem.unlink(temporaryPath)
  }

  /// Takes the name away again from a file that was published.
  func unpublish() {
    try? fileSystem.unlink(path)
  }
}
