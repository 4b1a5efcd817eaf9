internal import EmbeddingFiles

/// The same files as another process sees them: a store that is open there does not count as open
/// here, since directories have another identity.
struct OtherProcess: FileSystem {
  let base: any FileSystem

  func attributes(of path: String) throws(StorageError) -> FileAttributes? {
    var attributes = try base.attributes(of: path)
    if attributes?.kind == .directory { attributes?.identity.device ^= 1 << 62 }
    return attributes
  }

  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> any File {
    try base.open(path, access)
  }
  func createDirectory(_ path: String) throws(StorageError) { try base.createDirectory(path) }
  func list(_ directory: String) throws(StorageError) -> [String] { try base.list(directory) }
  func rename(_ source: String, to destination: String) throws(StorageError) {
    try base.rename(source, to: destination)
  }
  func unlink(_ path: String) throws(StorageError) { try base.unlink(path) }
  func syncDirectory(_ path: String) throws(StorageError) { try base.syncDirectory(path) }
  func availableByteCount(at directory: String) throws(StorageError) -> UInt64 {
    try base.availableByteCount(at: directory)
  }
}
