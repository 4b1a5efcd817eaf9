internal import EmbeddingFiles

/// A file of a `MediumFileSystem`.
final class MediumFile: File {
  private let base: any File
  private let node: Int
  private let fileSystem: MediumFileSystem

  init(_ base: any File, node: Int, of fileSystem: MediumFileSystem) {
    self.base = base
    self.node = node
    self.fileSystem = fileSystem
  }

  var path: String { base.path }

  func attributes() throws(StorageError) -> FileAttributes { try base.attributes() }

  func read(at offset: UInt64, byteCount: Int) throws(StorageError) -> [UInt8] {
    try base.read(at: offset, byteCount: byteCount)
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(StorageError) {
    // A failing write leaves half of its bytes, as `FaultyFileSystem` says.
    var writtenByteCount = bytes.byteCount / 2
    defer {
      let written = bytes.extracting(0..<writtenByteCount)
      fileSystem.changed(
        node, .write(offset: Int(offset), bytes: written.withUnsafeBytes { Array($0) }))
    }
    try base.write(bytes, at: offset)
    writtenByteCount = bytes.byteCount
  }

  func sync(_ level: SyncLevel) throws(StorageError) {
    do throws(StorageError) {
      try base.sync(level)
    } catch {
      if fileSystem.forgetsUnsynced { fileSystem.forgot(node) }
      throw error
    }
    fileSystem.synced(node)
  }

  func truncate(to byteCount: UInt64) throws(StorageError) {
    try base.truncate(to: byteCount)
    fileSystem.changed(node, .truncate(byteCount: Int(byteCount)))
  }

  func map(byteCount: Int, mode: MapMode) throws(StorageError) -> MappedBytes {
    try base.map(byteCount: byteCount, mode: mode)
  }

  func tryLock() throws(StorageError) -> Bool { try base.tryLock() }
  func unlock() throws(StorageError) { try base.unlock() }
  func close() throws(StorageError) { try base.close() }
}
