import EmbeddingFiles
import EmbeddingTestSupport

/// A file system on a volume that says it has little room left, though writes still succeed.
struct NoRoom: FileSystem {
  let base: any FileSystem
  var byteCount: UInt64 = 10

  func availableByteCount(at directory: String) throws(StorageError) -> UInt64 { byteCount }

  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> any File {
    try base.open(path, access)
  }
  func attributes(of path: String) throws(StorageError) -> FileAttributes? {
    try base.attributes(of: path)
  }
  func createDirectory(_ path: String) throws(StorageError) { try base.createDirectory(path) }
  func list(_ directory: String) throws(StorageError) -> [String] { try base.list(directory) }
  func rename(_ source: String, to destination: String) throws(StorageError) {
    try base.rename(source, to: destination)
  }
  func unlink(_ path: String) throws(StorageError) { try base.unlink(path) }
  func syncDirectory(_ path: String) throws(StorageError) { try base.syncDirectory(path) }
}
