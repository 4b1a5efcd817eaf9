import EmbeddingFiles

/// The files of a `SimulatedDisk`, for one run of a store.
final class SimulatedFileSystem: FileSystem {
  let disk: SimulatedDisk

  init(_ disk: SimulatedDisk) {
    self.disk = disk
  }

  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> any File {
    let file = try disk.withState { (state) throws(StorageError) -> FileNumber in
      if access == .create {
        guard state.live.names[path] == nil else { throw missing(.alreadyExists, path) }
        guard state.live.directories.contains(DiskImage.parent(of: path)) else {
          throw missing(.notFound, path)
        }
        let file = state.nextFile
        state.nextFile += 1
        state.live.contents[file] = []
        state.durable.contents[file] = []
        state.perform(.bind(path, file))
        return file
      }
      guard let file = state.live.names[path] else { throw missing(.notFound, path) }
      return file
    }
    return SimulatedFile(disk, file, path: path)
  }

  func attributes(of path: String) throws(StorageError) -> FileAttributes? {
    try disk.withState { (state) throws(StorageError) in
      if let file = state.live.names[path] { return state.attributes(of: file, disk.number) }
      guard state.live.directories.contains(path) else { return nil }
      return FileAttributes(
        kind: .directory, byteCount: 0,
        identity: FileIdentity(device: disk.number, inode: UInt64(path.utf8.count)),
        linkCount: 1, modifiedNanoseconds: 0)
    }
  }

  func createDirectory(_ path: String) throws(StorageError) {
    try disk.withState { (state) throws(StorageError) in
      guard !state.live.directories.contains(path) else { return }
      state.perform(.makeDirectory(path))
    }
  }

  func list(_ directory: String) throws(StorageError) -> [String] {
    try disk.withState { (state) throws(StorageError) in
      guard state.live.directories.contains(directory) else { throw missing(.notFound, directory) }
      return state.live.names.keys.filter { DiskImage.parent(of: $0) == directory }
        .map { String($0.dropFirst(directory.count + 1)) }
    }
  }

  func rename(_ source: String, to destination: String) throws(StorageError) {
    try disk.withState { (state) throws(StorageError) in
      guard let file = state.live.names[source] else { throw missing(.notFound, source) }
      state.perform(.rename(from: source, to: destination, file))
    }
  }

  func unlink(_ path: String) throws(StorageError) {
    try disk.withState { (state) throws(StorageError) in
      guard state.live.names[path] != nil else { return }
      state.perform(.unbind(path))
    }
  }

  func syncDirectory(_ path: String) throws(StorageError) {
    if disk.neglect == Neglect(syncingDirectory: path) { return }
    try disk.withState { (state) throws(StorageError) in
      state.settle { $0.directory == path }
    }
  }

  func availableByteCount(at directory: String) throws(StorageError) -> UInt64 { 1 << 40 }

  private func missing(_ code: StorageError.Code, _ path: String) -> StorageError {
    StorageError(code, path: path, "The simulated disk says so.")
  }
}

extension SimulatedDisk.State {
  func attributes(of file: FileNumber, _ device: UInt64) -> FileAttributes {
    FileAttributes(
      kind: .regular, byteCount: UInt64(live.contents[file]?.count ?? 0),
      identity: FileIdentity(device: device, inode: UInt64(file) + 4_096), linkCount: 1,
      modifiedNanoseconds: modified[file] ?? 0)
  }
}
