internal import EmbeddingFiles

/// A file of a `FaultyFileSystem`.
final class FaultyFile: File {
  private let base: any File
  private let fileSystem: FaultyFileSystem

  init(_ base: any File, _ fileSystem: FaultyFileSystem) {
    self.base = base
    self.fileSystem = fileSystem
  }

  var path: String { base.path }

  func attributes() throws(StorageError) -> FileAttributes {
    try fileSystem.check(.inspectFile, path)
    return try base.attributes()
  }

  func read(at offset: UInt64, byteCount: Int) throws(StorageError) -> [UInt8] {
    try fileSystem.check(.read, path)
    return try base.read(at: offset, byteCount: byteCount)
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(StorageError) {
    do throws(StorageError) {
      try fileSystem.check(.write, path)
    } catch {
      try? base.write(bytes.extracting(0..<bytes.byteCount / 2), at: offset)
      throw error
    }
    try base.write(bytes, at: offset)
  }

  func sync(_ level: SyncLevel) throws(StorageError) {
    try fileSystem.check(.sync, path)
    try base.sync(level)
  }

  func truncate(to byteCount: UInt64) throws(StorageError) {
    try fileSystem.check(.truncate, path)
    try base.truncate(to: byteCount)
  }

  func map(byteCount: Int, mode: MapMode) throws(StorageError) -> MappedBytes {
    try fileSystem.check(.map, path)
    return try base.map(byteCount: byteCount, mode: mode)
  }

  func tryLock() throws(StorageError) -> Bool {
    try fileSystem.check(.tryLock, path)
    return try base.tryLock()
  }

  func unlock() throws(StorageError) {
    try fileSystem.check(.unlock, path)
    try base.unlock()
  }

  func close() throws(StorageError) {
    try fileSystem.check(.close, path)
    try base.close()
  }
}
