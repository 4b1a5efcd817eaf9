internal import EmbeddingFiles

/// Names are given to what is whole, and nothing is ever replaced.
extension FileSystem {
  /// Notices before the work what is noticed at its end as well. A link that leads nowhere is noticed
  /// only then.
  func checkIsFree(_ path: String) throws(StorageError) {
    guard try attributes(of: path) == nil else { throw .somethingIsThere(path) }
  }

  /// Gives something that is on the medium the name it is for, in one step and durably. After an error
  /// it has its old name, as far as the system lets it.
  func publish(_ temporaryPath: String, as path: String) throws(StorageError) {
    try rename(temporaryPath, toFreeName: path)
    do throws(StorageError) {
      try syncDirectory(StoreDirectory.parent(of: path))
    } catch {
      try? rename(path, toFreeName: temporaryPath)
      throw error
    }
  }
}
