internal import EmbeddingFiles
internal import EmbeddingStores
internal import Foundation

/// A directory that is filled under a name of its own, and gets the one it is for when it is whole.
///
/// A kill leaves `<name>.<number>.tmp` behind, which may be deleted.
struct UnfinishedDirectory {
  let path: String
  let temporaryPath: String
  private let fileSystem: any FileSystem

  /// Makes the directory, empty, beside `path`, whose parent must exist.
  init(for path: String, on fileSystem: any FileSystem) throws(StoreError) {
    self.path = path
    self.fileSystem = fileSystem
    let temporaryPath = UnfinishedFile.temporaryPath(for: path)
    self.temporaryPath = temporaryPath
    try translatingErrors { () throws(StorageError) in
      try fileSystem.createDirectory(temporaryPath)
    }
  }

  /// Gives the directory its name, durably; everything in it must be on the medium. After an error
  /// nothing has the name that had not before, unless it is one of the last sync.
  func publish() throws(StoreError) {
    try translatingErrors { () throws(StorageError) in
      try fileSystem.syncDirectory(temporaryPath)
      try fileSystem.publish(temporaryPath, as: path)
    }
  }

  /// Removes it with what is in it, as far as the system lets it. Links are removed, not followed.
  func discard() {
    try? FileManager.default.removeItem(atPath: temporaryPath)
  }
}
