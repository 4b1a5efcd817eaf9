import CEmbeddingFiles

/// The file system of the machine.
package struct POSIXFileSystem: FileSystem {
  package init() {}

  package func open(_ path: String, _ access: FileAccess) throws(StorageError) -> any File {
    let operation: SystemCall.Operation = access == .create ? .create : .open
    let systemAccess =
      switch access {
      case .read: EF_ACCESS_READ
      case .readWrite: EF_ACCESS_READ_WRITE
      case .create: EF_ACCESS_CREATE
      }
    let descriptor = try SystemCall.withPath(operation, path) { path_ throws(StorageError) in
      try SystemCall.retrying(operation, path) { ef_open(path_, systemAccess) }
    }
    let file = POSIXFile(descriptor: descriptor, path: path, isWritable: access != .read)
    let kind = try file.attributes().kind
    guard kind == .regular else { throw .notAFile(path, kind) }
    return file
  }

  package func attributes(of path: String) throws(StorageError) -> FileAttributes? {
    var attributes = ef_attributes()
    do throws(StorageError) {
      try SystemCall.withPath(.inspect, path) { path_ throws(StorageError) in
        _ = try SystemCall.retrying(.inspect, path) { ef_path_attributes(path_, &attributes) }
      }
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
    return FileAttributes(attributes)
  }

  package func createDirectory(_ path: String) throws(StorageError) {
    do throws(StorageError) {
      try SystemCall.withPath(.createDirectory, path) { path_ throws(StorageError) in
        _ = try SystemCall.retrying(.createDirectory, path) { ef_create_directory(path_) }
      }
    } catch {
      guard error.systemErrorNumber == EF_EEXIST else { throw error }
      guard try attributes(of: path)?.kind == .directory else {
        throw StorageError(.createDirectory, path, errorNumber: Int32(EF_ENOTDIR))
      }
    }
  }

  package func list(_ directory: String) throws(StorageError) -> [String] {
    let descriptor = try openDirectory(.list, directory)
    var errorNumber: Int32 = 0
    guard let listing = ef_list_start(descriptor, &errorNumber) else {
      throw StorageError(.list, directory, errorNumber: errorNumber)
    }
    defer { ef_list_end(listing) }
    var names: [String] = []
    var bytes: UnsafePointer<CChar>?
    while try SystemCall.retrying(.list, directory, { ef_list_next(listing, &bytes) }) > 0 {
      guard let bytes else { break }
      // A name that is no UTF-8 is none of ours; repaired, it still shows up.
      let name = String(cString: bytes)
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  package func rename(_ source: String, to destination: String) throws(StorageError) {
    try SystemCall.withPath(.rename, source) { source_ throws(StorageError) in
      try SystemCall.withPath(.rename, destination) { destination_ throws(StorageError) in
        _ = try SystemCall.retrying(.rename, source) { ef_rename(source_, destination_) }
      }
    }
  }

  package func rename(
    _ source: String, toFreeName destination: String
  ) throws(StorageError) {
    do throws(StorageError) {
      try SystemCall.withPath(.rename, source) { source_ throws(StorageError) in
        try SystemCall.withPath(.rename, destination) { destination_ throws(StorageError) in
          _ = try SystemCall.retrying(.rename, source) {
            ef_rename_to_free_name(source_, destination_)
          }
        }
      }
    } catch {
      throw error.code == .alreadyExists ? .somethingIsThere(destination) : error
    }
  }

  package func exchange(_ first: String, with second: String) throws(StorageError) {
    try SystemCall.withPath(.exchange, first) { first_ throws(StorageError) in
      try SystemCall.withPath(.exchange, second) { second_ throws(StorageError) in
        _ = try SystemCall.retrying(.exchange, first) { ef_exchange(first_, second_) }
      }
    }
  }

  package func unlink(_ path: String) throws(StorageError) {
    do throws(StorageError) {
      try SystemCall.withPath(.remove, path) { path_ throws(StorageError) in
        _ = try SystemCall.retrying(.remove, path) { ef_unlink(path_) }
      }
    } catch {
      if error.code != .notFound { throw error }
    }
  }

  package func syncDirectory(_ path: String) throws(StorageError) {
    let descriptor = try openDirectory(.syncDirectory, path)
    do throws(StorageError) {
      try SystemCall.retrying(.syncDirectory, path) { ef_sync_directory(descriptor) }
    } catch {
      _ = ef_close(descriptor)
      throw error
    }
    let status = ef_close(descriptor)
    if status < 0 { throw StorageError(.syncDirectory, path, errorNumber: -status) }
  }

  package func availableByteCount(at directory: String) throws(StorageError) -> UInt64 {
    var byteCount: UInt64 = 0
    try SystemCall.withPath(.measureSpace, directory) { path throws(StorageError) in
      _ = try SystemCall.retrying(.measureSpace, directory) {
        ef_available_byte_count(path, &byteCount)
      }
    }
    return byteCount
  }

  private func openDirectory(
    _ operation: SystemCall.Operation, _ path: String
  ) throws(StorageError) -> Int32 {
    try SystemCall.withPath(operation, path) { path_ throws(StorageError) in
      try SystemCall.retrying(operation, path) { ef_open(path_, EF_ACCESS_DIRECTORY) }
    }
  }
}

extension FileAttributes {
  init(_ attributes: ef_attributes) {
    let kind: Kind =
      switch attributes.kind {
      case EF_KIND_REGULAR: .regular
      case EF_KIND_DIRECTORY: .directory
      default: .other
      }
    self.init(
      kind: kind, byteCount: attributes.byte_count,
      identity: FileIdentity(device: attributes.device, inode: attributes.inode),
      linkCount: attributes.link_count, modifiedNanoseconds: attributes.modified_nanoseconds)
  }
}
