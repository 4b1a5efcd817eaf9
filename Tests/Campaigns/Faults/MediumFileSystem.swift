internal import EmbeddingFiles
internal import Synchronization

/// A file system that knows what a power failure would leave: the bytes of each file at its last
/// successful sync, under the names of its directory's last successful sync.
final class MediumFileSystem: FileSystem {
  /// What may be done to a file and not be on the medium yet.
  enum Change: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case truncate(byteCount: Int)
  }

  struct Node: Sendable {
    var onMedium: [UInt8] = []
    var pending: [Change] = []
  }

  private struct State {
    var nodes: [Node] = []
    var names: [String: Int] = [:]
    var namesOnMedium: [String: Int] = [:]
    var directories: [String] = []
  }

  private let base: any FileSystem
  private let state = Mutex(State())
  let forgetsUnsynced: Bool

  /// - Parameter forgetsUnsynced: Whether a failing sync drops what it should have written, as
  ///   Linux does, and a later one succeeds without it.
  init(_ base: any FileSystem, forgetsUnsynced: Bool) {
    self.base = base
    self.forgetsUnsynced = forgetsUnsynced
  }

  /// A file system as the power failing now would leave it.
  func afterPowerLoss() throws(StorageError) -> MemoryFileSystem {
    let state = state.withLock { $0 }
    let image = MemoryFileSystem()
    for directory in state.directories { try image.createDirectory(directory) }
    for (path, node) in state.namesOnMedium {
      let file = try image.open(path, .create)
      try state.nodes[node].onMedium.withRawSpan { (span) throws(StorageError) in
        try file.write(span, at: 0)
      }
    }
    return image
  }

  // MARK: What files report

  func changed(_ node: Int, _ change: Change) {
    state.withLock { $0.nodes[node].pending.append(change) }
  }

  func synced(_ node: Int) {
    state.withLock { $0.nodes[node].writePending() }
  }

  func forgot(_ node: Int) {
    state.withLock { $0.nodes[node].pending = [] }
  }

  // MARK: FileSystem

  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> any File {
    let file = try base.open(path, access)
    let node = state.withLock { state -> Int in
      if let node = state.names[path] { return node }
      state.nodes.append(Node())
      state.names[path] = state.nodes.count - 1
      return state.nodes.count - 1
    }
    return MediumFile(file, node: node, of: self)
  }

  func attributes(of path: String) throws(StorageError) -> FileAttributes? {
    try base.attributes(of: path)
  }

  func createDirectory(_ path: String) throws(StorageError) {
    try base.createDirectory(path)
    state.withLock { $0.directories.append(path) }
  }

  func list(_ directory: String) throws(StorageError) -> [String] { try base.list(directory) }

  func rename(_ source: String, to destination: String) throws(StorageError) {
    try base.rename(source, to: destination)
    state.withLock { $0.names[destination] = $0.names.removeValue(forKey: source) }
  }

  func unlink(_ path: String) throws(StorageError) {
    try base.unlink(path)
    state.withLock { _ = $0.names.removeValue(forKey: path) }
  }

  func syncDirectory(_ path: String) throws(StorageError) {
    try base.syncDirectory(path)
    state.withLock { state in
      let isInside = { (name: String) in
        name.hasPrefix("\(path)/") && !name.dropFirst(path.count + 1).contains("/")
      }
      state.namesOnMedium = state.namesOnMedium.filter { !isInside($0.key) }
        .merging(state.names.filter { isInside($0.key) }) { $1 }
    }
  }

  func availableByteCount(at directory: String) throws(StorageError) -> UInt64 {
    try base.availableByteCount(at: directory)
  }
}

extension MediumFileSystem.Node {
  mutating func writePending() {
    for change in pending {
      switch change {
      case .write(let offset, let bytes):
        resize(to: max(onMedium.count, offset + bytes.count))
        onMedium.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      case .truncate(let byteCount):
        resize(to: byteCount)
      }
    }
    pending = []
  }

  private mutating func resize(to byteCount: Int) {
    if byteCount < onMedium.count {
      onMedium.removeSubrange(byteCount...)
    } else {
      onMedium += [UInt8](repeating: 0, count: byteCount - onMedium.count)
    }
  }
}
