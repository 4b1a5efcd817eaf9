import CEmbeddingFiles
import Synchronization

/// A file system without a disk, for stores that live as long as their process and for tests.
///
/// It behaves as `POSIXFileSystem` does, with names compared byte by byte. `a` and `/a` are the
/// same path. Syncs have nothing to do and succeed.
package final class MemoryFileSystem: FileSystem {
  private let root: Mutex<MemoryDirectory>
  private let stamps: MemoryStamps

  package init() {
    let stamps = MemoryStamps()
    self.stamps = stamps
    root = Mutex(MemoryDirectory(identity: stamps.nextIdentity(), modified: stamps.next()))
  }

  package func open(_ path: String, _ access: FileAccess) throws(StorageError) -> any File {
    let operation: SystemCall.Operation = access == .create ? .create : .open
    let node = try withParent(operation, path) { parent, name throws(StorageError) in
      switch (parent.entries[name], access) {
      case (nil, .create):
        let node = MemoryFileNode(identity: stamps.nextIdentity(), stamps: stamps)
        parent.set(name, .file(node), stamps.next())
        return node
      case (nil, _):
        throw StorageError(operation, path, errorNumber: Int32(EF_ENOENT))
      case (_?, .create):
        throw StorageError(operation, path, errorNumber: Int32(EF_EEXIST))
      case (.directory, _):
        throw .notAFile(path, .directory)
      case (.file(let node), _):
        return node
      }
    }
    return MemoryFile(node: node, path: path, isWritable: access != .read)
  }

  package func attributes(of path: String) throws(StorageError) -> FileAttributes? {
    do throws(StorageError) {
      return try withEntry(.inspect, path) { entry in
        switch entry {
        case .file(let node): node.attributes
        case .directory(let directory): directory.attributes
        }
      }
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }

  package func createDirectory(_ path: String) throws(StorageError) {
    let names = try MemoryPath(.createDirectory, path).names
    guard !names.isEmpty else { return }
    try withParent(.createDirectory, path) { parent, name throws(StorageError) in
      switch parent.entries[name] {
      case .directory:
        return
      case .file:
        throw StorageError(.createDirectory, path, errorNumber: Int32(EF_ENOTDIR))
      case nil:
        let modified = stamps.next()
        let directory = MemoryDirectory(identity: stamps.nextIdentity(), modified: modified)
        parent.set(name, .directory(directory), modified)
      }
    }
  }

  package func list(_ directory: String) throws(StorageError) -> [String] {
    try withDirectory(.list, directory) { found in
      found.entries.keys.map { String(decoding: $0, as: UTF8.self) }
    }
  }

  package func rename(_ source: String, to destination: String) throws(StorageError) {
    let from = try MemoryPath(.rename, source)
    let to = try MemoryPath(.rename, destination)
    try root.withLock { root throws(StorageError) in
      let (sourceParent, sourceName) = try root.parent(of: from, .rename, source)
      guard let moved = sourceParent.entries[sourceName] else {
        throw StorageError(.rename, source, errorNumber: Int32(EF_ENOENT))
      }
      let (targetParent, targetName) = try root.parent(of: to, .rename, destination)
      let replaced = targetParent.entries[targetName]
      if let replaced, replaced.identity == moved.identity { return }
      try checkReplacing(replaced, by: moved, destination)
      if case .directory(let directory) = moved, directory.contains(targetParent) {
        throw StorageError(.rename, source, errorNumber: Int32(EF_EINVAL))
      }
      if case .file = moved, to.mustBeDirectory || from.mustBeDirectory {
        throw StorageError(.rename, source, errorNumber: Int32(EF_ENOTDIR))
      }
      let modified = stamps.next()
      if case .file(let node) = replaced { node.lostItsName() }
      sourceParent.set(sourceName, nil, modified)
      targetParent.set(targetName, moved, modified)
    }
  }

  private func checkReplacing(
    _ replaced: MemoryEntry?, by moved: MemoryEntry, _ path: String
  ) throws(StorageError) {
    switch (replaced, moved) {
    case (.directory, .file):
      throw StorageError(.rename, path, errorNumber: Int32(EF_EISDIR))
    case (.file, .directory):
      throw StorageError(.rename, path, errorNumber: Int32(EF_ENOTDIR))
    case (.directory(let directory), .directory) where !directory.entries.isEmpty:
      throw StorageError(.rename, path, errorNumber: Int32(EF_ENOTEMPTY))
    default:
      return
    }
  }

  package func unlink(_ path: String) throws(StorageError) {
    do throws(StorageError) {
      try withParent(.remove, path) { parent, name throws(StorageError) in
        switch parent.entries[name] {
        case nil:
          return
        case .directory:
          throw StorageError(.remove, path, errorNumber: Int32(EF_EISDIR))
        case .file(let node):
          parent.set(name, nil, stamps.next())
          node.lostItsName()
        }
      }
    } catch {
      if error.code != .notFound { throw error }
    }
  }

  package func syncDirectory(_ path: String) throws(StorageError) {
    try withDirectory(.syncDirectory, path) { _ in }
  }

  package func availableByteCount(at directory: String) throws(StorageError) -> UInt64 {
    try withEntry(.measureSpace, directory) { _ in MemoryFileNode.maximumByteCount }
  }

  // MARK: Finding entries

  private func withParent<Value>(
    _ operation: SystemCall.Operation, _ path: String,
    _ body: (MemoryDirectory, [UInt8]) throws(StorageError) -> sending Value
  ) throws(StorageError) -> sending Value {
    let parsed = try MemoryPath(operation, path)
    return try root.withLock { root throws(StorageError) in
      let (parent, name) = try root.parent(of: parsed, operation, path)
      if parsed.mustBeDirectory, operation != .createDirectory {
        switch parent.entries[name] {
        case .file: throw StorageError(operation, path, errorNumber: Int32(EF_ENOTDIR))
        case nil where operation == .create:
          throw StorageError(operation, path, errorNumber: Int32(EF_EISDIR))
        default: break
        }
      }
      return try body(parent, name)
    }
  }

  private func withEntry<Value>(
    _ operation: SystemCall.Operation, _ path: String,
    _ body: (MemoryEntry) throws(StorageError) -> sending Value
  ) throws(StorageError) -> sending Value {
    let parsed = try MemoryPath(operation, path)
    return try root.withLock { root throws(StorageError) in
      try body(root.entry(at: parsed, operation, path))
    }
  }

  private func withDirectory<Value>(
    _ operation: SystemCall.Operation, _ path: String,
    _ body: (MemoryDirectory) throws(StorageError) -> sending Value
  ) throws(StorageError) -> sending Value {
    try withEntry(operation, path) { entry throws(StorageError) in
      guard case .directory(let directory) = entry else {
        throw StorageError(operation, path, errorNumber: Int32(EF_ENOTDIR))
      }
      return try body(directory)
    }
  }
}

// MARK: Paths

/// A path taken apart. `..` leads out of whatever came before, and stays at the root.
struct MemoryPath {
  let names: [[UInt8]]
  /// Whether the path ends in `/`, which no file does.
  let mustBeDirectory: Bool

  init(_ operation: SystemCall.Operation, _ path: String) throws(StorageError) {
    try SystemCall.withPath(operation, path) { _ in }
    guard !path.isEmpty else {
      throw StorageError(operation, path, errorNumber: Int32(EF_ENOENT))
    }
    let slash = UInt8(ascii: "/")
    names = path.utf8.split(separator: slash).map { Array($0) }.filter { $0 != Self.here }
    mustBeDirectory = path.utf8.last == slash
    guard names.allSatisfy({ $0.count <= 255 }) else {
      throw StorageError(operation, path, errorNumber: Int32(EF_ENAMETOOLONG))
    }
  }

  static let here = Array(".".utf8)
  static let up = Array("..".utf8)
}

// MARK: Entries

enum MemoryEntry {
  case file(MemoryFileNode)
  case directory(MemoryDirectory)

  var identity: FileIdentity {
    switch self {
    case .file(let node): node.identity
    case .directory(let directory): directory.identity
    }
  }
}

/// A directory; reached only under the lock of its file system.
final class MemoryDirectory {
  let identity: FileIdentity
  /// By the bytes of the name: `String` takes composed and decomposed letters for the same.
  private(set) var entries: [[UInt8]: MemoryEntry] = [:]
  private var modified: Int64

  init(identity: FileIdentity, modified: Int64) {
    self.identity = identity
    self.modified = modified
  }

  var attributes: FileAttributes {
    FileAttributes(
      kind: .directory, byteCount: 0, identity: identity, linkCount: 2,
      modifiedNanoseconds: modified)
  }

  func set(_ name: [UInt8], _ entry: MemoryEntry?, _ modified: Int64) {
    entries[name] = entry
    self.modified = modified
  }

  /// Whether `other` is this directory or lies below it.
  func contains(_ other: MemoryDirectory) -> Bool {
    if other === self { return true }
    return entries.values.contains { entry in
      if case .directory(let directory) = entry { directory.contains(other) } else { false }
    }
  }

  /// The directory that holds the last name of `path`, seen from this root, and that name.
  func parent(
    of path: MemoryPath, _ operation: SystemCall.Operation, _ text: String
  ) throws(StorageError) -> (MemoryDirectory, [UInt8]) {
    guard let name = path.names.last, name != MemoryPath.up else {
      // The root, or a way back up: always a directory that is there.
      throw StorageError(
        operation, text,
        errorNumber: Int32(operation == .createDirectory ? EF_EEXIST : EF_EISDIR))
    }
    return (try directory(path.names.dropLast(), operation, text), name)
  }

  /// What is at `path`, seen from this root.
  func entry(
    at path: MemoryPath, _ operation: SystemCall.Operation, _ text: String
  ) throws(StorageError) -> MemoryEntry {
    guard let name = path.names.last, name != MemoryPath.up else {
      return .directory(try directory(path.names[...], operation, text))
    }
    let parent = try directory(path.names.dropLast(), operation, text)
    guard let entry = parent.entries[name] else {
      throw StorageError(operation, text, errorNumber: Int32(EF_ENOENT))
    }
    if path.mustBeDirectory, case .file = entry {
      throw StorageError(operation, text, errorNumber: Int32(EF_ENOTDIR))
    }
    return entry
  }

  private func directory(
    _ names: ArraySlice<[UInt8]>, _ operation: SystemCall.Operation, _ text: String
  ) throws(StorageError) -> MemoryDirectory {
    var trail = [self]
    for name in names {
      if name == MemoryPath.up {
        if trail.count > 1 { trail.removeLast() }
        continue
      }
      switch trail[trail.count - 1].entries[name] {
      case .directory(let next): trail.append(next)
      case .file: throw StorageError(operation, text, errorNumber: Int32(EF_ENOTDIR))
      case nil: throw StorageError(operation, text, errorNumber: Int32(EF_ENOENT))
      }
    }
    return trail[trail.count - 1]
  }
}

/// Numbers for one file system: identities, and times that no two changes share.
final class MemoryStamps: Sendable {
  private static let deviceCount = Atomic<UInt64>(0)

  private let device: UInt64
  private let inodeCount = Atomic<UInt64>(0)
  private let time: Atomic<Int64>

  init() {
    // The upper half keeps clear of real devices.
    let number = Self.deviceCount.wrappingAdd(1, ordering: .relaxed).newValue
    device = number | (1 << 63)
    time = Atomic(ef_wall_clock_nanoseconds())
  }

  func nextIdentity() -> FileIdentity {
    FileIdentity(device: device, inode: inodeCount.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  func next() -> Int64 {
    time.wrappingAdd(1, ordering: .relaxed).newValue
  }
}
