import CEmbeddingFiles
import CEmbeddingMemory
import Synchronization

/// An open file of a `MemoryFileSystem`.
final class MemoryFile: File {
  let path: String
  private let node: MemoryFileNode
  private let isWritable: Bool
  private let isClosed = Mutex(false)

  init(node: MemoryFileNode, path: String, isWritable: Bool) {
    self.node = node
    self.path = path
    self.isWritable = isWritable
  }

  deinit { node.unlock(by: ObjectIdentifier(self)) }

  func attributes() throws(StorageError) -> FileAttributes {
    try checkOpen()
    return node.attributes
  }

  func read(at offset: UInt64, byteCount: Int) throws(StorageError) -> [UInt8] {
    precondition(byteCount >= 0, "A read takes 0 bytes or more")
    try checkOpen()
    return node.read(at: offset, byteCount: byteCount)
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(StorageError) {
    try checkOpen()
    guard isWritable else { throw .openedForReading(path) }
    try node.write(bytes, at: offset, path)
  }

  func sync(_ level: SyncLevel) throws(StorageError) {
    try checkOpen()
  }

  func truncate(to byteCount: UInt64) throws(StorageError) {
    try checkOpen()
    guard isWritable else { throw .openedForReading(path) }
    try node.truncate(to: byteCount, path)
  }

  /// As the protocol says; `.mapped` shares the file's own storage and copies nothing.
  func map(byteCount: Int, mode: MapMode) throws(StorageError) -> MappedBytes {
    precondition(byteCount >= 0, "A map takes 0 bytes or more")
    try checkOpen()
    return try node.map(byteCount: byteCount, mode: mode, path)
  }

  func tryLock() throws(StorageError) -> Bool {
    try checkOpen()
    return node.tryLock(by: ObjectIdentifier(self))
  }

  func unlock() throws(StorageError) {
    try checkOpen()
    node.unlock(by: ObjectIdentifier(self))
  }

  func close() throws(StorageError) {
    try isClosed.withLock { isClosed throws(StorageError) in
      guard !isClosed else { throw .closed(path) }
      isClosed = true
    }
    node.unlock(by: ObjectIdentifier(self))
  }

  private func checkOpen() throws(StorageError) {
    if isClosed.withLock({ $0 }) { throw .closed(path) }
  }
}

/// The bytes of a file, for as long as a name or an open file leads to them.
final class MemoryFileNode: Sendable {
  /// More than any machine has memory for, and little enough that sums stay exact.
  static let maximumByteCount: UInt64 = 1 << 40

  let identity: FileIdentity
  private let stamps: MemoryStamps
  private let content: Mutex<Content>

  fileprivate struct Content {
    var storage = MemoryStorage.empty
    var byteCount = 0
    /// No byte before this index may change while a mapping holds `storage`.
    var mappedByteCount = 0
    var linkCount: UInt64 = 1
    var modified: Int64
    var lockOwner: ObjectIdentifier?
  }

  init(identity: FileIdentity, stamps: MemoryStamps) {
    self.identity = identity
    self.stamps = stamps
    content = Mutex(Content(modified: stamps.next()))
  }

  var attributes: FileAttributes {
    content.withLock { content in
      FileAttributes(
        kind: .regular, byteCount: UInt64(content.byteCount), identity: identity,
        linkCount: content.linkCount, modifiedNanoseconds: content.modified)
    }
  }

  func lostItsName() {
    content.withLock { $0.linkCount = 0 }
  }

  // MARK: Bytes

  func read(at offset: UInt64, byteCount: Int) -> [UInt8] {
    content.withLock { content in
      guard byteCount > 0, offset < UInt64(content.byteCount) else { return [] }
      let start = Int(offset)
      let count = min(byteCount, content.byteCount - start)
      let source = content.storage.bytes(start..<start + count)
      return [UInt8](unsafeUninitializedCapacity: count) { target, readCount in
        UnsafeMutableRawBufferPointer(target).copyMemory(from: source)
        readCount = count
      }
    }
  }

  func write(_ bytes: RawSpan, at offset: UInt64, _ path: String) throws(StorageError) {
    guard bytes.byteCount > 0 else { return }
    let end = try Self.end(offset, UInt64(bytes.byteCount), .write, path)
    try content.withLock { content throws(StorageError) in
      let start = Int(offset)
      // A gap before the new bytes has to be zeroed, which is a change as well.
      let firstChange = min(start, content.byteCount)
      try content.prepare(firstChange..<end, .write, path)
      if start > content.byteCount { content.storage.zero(content.byteCount..<start) }
      content.storage.copy(bytes, to: start)
      content.byteCount = max(content.byteCount, end)
      content.modified = stamps.next()
    }
  }

  func truncate(to byteCount: UInt64, _ path: String) throws(StorageError) {
    let end = try Self.end(byteCount, 0, .resize, path)
    try content.withLock { content throws(StorageError) in
      if end > content.byteCount {
        try content.prepare(content.byteCount..<end, .resize, path)
        content.storage.zero(content.byteCount..<end)
      }
      content.byteCount = end
      content.modified = stamps.next()
    }
  }

  func map(byteCount: Int, mode: MapMode, _ path: String) throws(StorageError) -> MappedBytes {
    try content.withLock { content throws(StorageError) in
      guard byteCount <= content.byteCount else {
        throw .tooShort(path, byteCount: UInt64(content.byteCount), expected: byteCount)
      }
      switch mode {
      case .mapped:
        content.forgetReleasedMappings()
        content.mappedByteCount = max(content.mappedByteCount, byteCount)
        let storage = content.storage
        return MappedBytes(base: storage.base, byteCount: byteCount, isHeap: true) { _, _ in
          withExtendedLifetime(storage) {}
        }
      case .heap:
        guard let base = em_allocate(byteCount) else {
          throw StorageError(.map, path, errorNumber: Int32(EF_ENOMEM))
        }
        UnsafeMutableRawBufferPointer(start: base, count: byteCount)
          .copyMemory(from: content.storage.bytes(0..<byteCount))
        return MappedBytes(base: base, byteCount: byteCount, isHeap: true) { em_free($0, $1) }
      }
    }
  }

  private static func end(
    _ offset: UInt64, _ byteCount: UInt64, _ operation: SystemCall.Operation, _ path: String
  ) throws(StorageError) -> Int {
    let (end, overflow) = offset.addingReportingOverflow(byteCount)
    guard !overflow, end <= maximumByteCount, let index = Int(exactly: end) else {
      throw StorageError(operation, path, errorNumber: Int32(EF_EFBIG))
    }
    return index
  }

  // MARK: Lock

  func tryLock(by owner: ObjectIdentifier) -> Bool {
    content.withLock { content in
      guard content.lockOwner == nil || content.lockOwner == owner else { return false }
      content.lockOwner = owner
      return true
    }
  }

  func unlock(by owner: ObjectIdentifier) {
    content.withLock { content in
      if content.lockOwner == owner { content.lockOwner = nil }
    }
  }
}

extension MemoryFileNode.Content {
  mutating func forgetReleasedMappings() {
    if isKnownUniquelyReferenced(&storage) { mappedByteCount = 0 }
  }

  /// Makes `range` writable: grows the storage to hold it, and leaves the storage to the mappings
  /// that show a part of it.
  ///
  /// Growing doubles, so that appending costs a constant per byte. Bytes behind every mapping are
  /// written in place.
  mutating func prepare(
    _ range: Range<Int>, _ operation: SystemCall.Operation, _ path: String
  ) throws(StorageError) {
    forgetReleasedMappings()
    let mustGrow = range.upperBound > storage.capacity
    guard mustGrow || range.lowerBound < mappedByteCount else { return }
    let doubled = mustGrow && byteCount > 0 ? storage.capacity * 2 : range.upperBound
    let capacity = max(range.upperBound, min(doubled, Int(MemoryFileNode.maximumByteCount)))
    guard let grown = MemoryStorage(capacity: max(capacity, storage.capacity, 64)) else {
      throw StorageError(operation, path, errorNumber: Int32(EF_ENOSPC))
    }
    grown.copy(storage, byteCount)
    storage = grown
    mappedByteCount = 0
  }
}

/// One contiguous block, written through its file's lock and read by mappings without it.
///
/// Safe to share: a file never writes the part that a mapping shows (`Content.prepare`).
final class MemoryStorage: @unchecked Sendable {
  static let empty = MemoryStorage()

  let base: UnsafeMutableRawPointer?
  let capacity: Int
  /// Everything from here on is still zero.
  private var touchedByteCount = 0

  private init() {
    base = nil
    capacity = 0
  }

  init?(capacity: Int) {
    guard let base = em_allocate_zeroed(capacity) else { return nil }
    self.base = base
    self.capacity = capacity
  }

  deinit {
    em_free(base, capacity)
  }

  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(range.upperBound <= capacity, "A read stays within its storage")
    return UnsafeRawBufferPointer(start: base.map { $0 + range.lowerBound }, count: range.count)
  }

  func copy(_ bytes: RawSpan, to start: Int) {
    precondition(bytes.byteCount <= capacity - start, "A write stays within its storage")
    bytes.withUnsafeBytes { source in
      if let base, let from = source.baseAddress {
        (base + start).copyMemory(from: from, byteCount: source.count)
      }
    }
    touchedByteCount = max(touchedByteCount, start + bytes.byteCount)
  }

  func copy(_ other: MemoryStorage, _ byteCount: Int) {
    precondition(byteCount <= capacity, "A copy stays within its storage")
    let source = other.bytes(0..<byteCount)
    if let base, let from = source.baseAddress {
      base.copyMemory(from: from, byteCount: byteCount)
    }
    touchedByteCount = max(touchedByteCount, byteCount)
  }

  /// Zeroes `range` without touching what never was anything else.
  func zero(_ range: Range<Int>) {
    precondition(range.upperBound <= capacity, "A write stays within its storage")
    let dirty = range.lowerBound..<max(range.lowerBound, min(range.upperBound, touchedByteCount))
    if let base, !dirty.isEmpty {
      UnsafeMutableRawBufferPointer(start: base + dirty.lowerBound, count: dirty.count)
        .initializeMemory(as: UInt8.self, repeating: 0)
    }
  }
}
