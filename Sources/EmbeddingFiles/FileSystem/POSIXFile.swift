import CEmbeddingFiles
import CEmbeddingMemory
import Synchronization

/// An open file of the machine. Calls from several threads run side by side.
final class POSIXFile: File {
  let path: String
  private let isWritable: Bool
  private let state: Mutex<State>

  /// The descriptor is closed by whoever leaves last, so that its number cannot come to mean
  /// another file while a call uses it.
  private struct State {
    let descriptor: Int32
    var callCount = 0
    var isClosed = false
  }

  /// Takes `descriptor` over.
  init(descriptor: Int32, path: String, isWritable: Bool) {
    self.path = path
    self.isWritable = isWritable
    state = Mutex(State(descriptor: descriptor))
  }

  deinit {
    let descriptor: Int32? = state.withLock { $0.isClosed ? nil : $0.descriptor }
    if let descriptor { _ = ef_close(descriptor) }
  }

  func attributes() throws(StorageError) -> FileAttributes {
    try withDescriptor { descriptor throws(StorageError) in try attributes(of: descriptor) }
  }

  func read(at offset: UInt64, byteCount: Int) throws(StorageError) -> [UInt8] {
    precondition(byteCount >= 0, "A read takes 0 bytes or more")
    return try withDescriptor { descriptor throws(StorageError) in
      let fileByteCount = try attributes(of: descriptor).byteCount
      guard byteCount > 0, offset < fileByteCount else { return [] }
      let count = Int(min(UInt64(byteCount), fileByteCount - offset))
      var failure: StorageError?
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, readCount in
        do throws(StorageError) {
          readCount = try read(descriptor, at: offset, into: UnsafeMutableRawBufferPointer(target))
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      return bytes
    }
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(StorageError) {
    try withDescriptor { descriptor throws(StorageError) in
      guard isWritable else { throw .openedForReading(path) }
      guard !offset.addingReportingOverflow(UInt64(bytes.byteCount)).overflow else {
        throw StorageError(.write, path, errorNumber: Int32(EF_EFBIG))
      }
      try bytes.withUnsafeBytes { source throws(StorageError) in
        guard let base = source.baseAddress else { return }
        try SystemCall.writeAll(source.count, path) { done, left in
          ef_write(descriptor, base + done, left, offset + UInt64(done))
        }
      }
    }
  }

  func sync(_ level: SyncLevel) throws(StorageError) {
    try withDescriptor { descriptor throws(StorageError) in
      _ = try SystemCall.retrying(.sync, path) {
        switch level {
        case .barrier: ef_sync_barrier(descriptor)
        case .full: ef_sync_full(descriptor)
        }
      }
    }
  }

  func truncate(to byteCount: UInt64) throws(StorageError) {
    try withDescriptor { descriptor throws(StorageError) in
      guard isWritable else { throw .openedForReading(path) }
      try SystemCall.retrying(.resize, path) { ef_truncate(descriptor, byteCount) }
    }
  }

  func map(byteCount: Int, mode: MapMode) throws(StorageError) -> MappedBytes {
    precondition(byteCount >= 0, "A map takes 0 bytes or more")
    return try withDescriptor { descriptor throws(StorageError) in
      // Touching a mapping beyond the end of its file is a signal, not an error.
      let fileByteCount = try attributes(of: descriptor).byteCount
      guard UInt64(byteCount) <= fileByteCount else {
        throw .tooShort(path, byteCount: fileByteCount, expected: byteCount)
      }
      guard byteCount > 0 else {
        return MappedBytes(base: nil, byteCount: 0, isHeap: mode == .heap) { _, _ in }
      }
      switch mode {
      case .mapped: return try mapped(descriptor, byteCount)
      case .heap: return try copied(descriptor, byteCount)
      }
    }
  }

  func tryLock() throws(StorageError) -> Bool {
    try withDescriptor { descriptor throws(StorageError) in
      try SystemCall.retrying(.lock, path) { ef_try_lock(descriptor) } == 1
    }
  }

  func unlock() throws(StorageError) {
    try withDescriptor { descriptor throws(StorageError) in
      _ = try SystemCall.retrying(.unlock, path) { ef_unlock(descriptor) }
    }
  }

  /// Closes at once, or when the last call in progress on another thread returns; what the
  /// system says to that later close is lost.
  func close() throws(StorageError) {
    let descriptor = try state.withLock { state throws(StorageError) -> Int32? in
      guard !state.isClosed else { throw .closed(path) }
      state.isClosed = true
      return state.callCount == 0 ? state.descriptor : nil
    }
    guard let descriptor else { return }
    let status = ef_close(descriptor)
    if status < 0 { throw StorageError(.close, path, errorNumber: -status) }
  }
}

extension POSIXFile {
  /// Calls `body` with a descriptor that stays open meanwhile.
  ///
  /// Internal for tests that look at the descriptor's flags.
  func withDescriptor<Value>(
    _ body: (Int32) throws(StorageError) -> Value
  ) throws(StorageError) -> Value {
    let descriptor = try state.withLock { state throws(StorageError) in
      guard !state.isClosed else { throw .closed(path) }
      state.callCount += 1
      return state.descriptor
    }
    defer {
      let isLast = state.withLock { state in
        state.callCount -= 1
        return state.isClosed && state.callCount == 0
      }
      if isLast { _ = ef_close(descriptor) }
    }
    return try body(descriptor)
  }

  private func attributes(of descriptor: Int32) throws(StorageError) -> FileAttributes {
    var attributes = ef_attributes()
    try SystemCall.retrying(.inspect, path) { ef_descriptor_attributes(descriptor, &attributes) }
    return FileAttributes(attributes)
  }

  private func read(
    _ descriptor: Int32, at offset: UInt64, into target: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int {
    guard let base = target.baseAddress else { return 0 }
    return try SystemCall.readAll(target.count, path) { done, left in
      ef_read(descriptor, base + done, left, offset + UInt64(done))
    }
  }

  private func mapped(_ descriptor: Int32, _ byteCount: Int) throws(StorageError) -> MappedBytes {
    var errorNumber: Int32 = 0
    if let base = ef_map(descriptor, byteCount, &errorNumber) {
      return MappedBytes(base: base, byteCount: byteCount, isHeap: false) { ef_unmap($0, $1) }
    }
    switch Int(errorNumber) {
    case EF_ENOMEM, EF_ENODEV, EF_EACCES:
      // No address space left, or a volume that cannot map; reading may still work.
      return try copied(descriptor, byteCount)
    default:
      throw StorageError(.map, path, errorNumber: errorNumber)
    }
  }

  private func copied(_ descriptor: Int32, _ byteCount: Int) throws(StorageError) -> MappedBytes {
    guard let base = em_allocate(byteCount) else {
      throw StorageError(.map, path, errorNumber: Int32(EF_ENOMEM))
    }
    let bytes = MappedBytes(base: base, byteCount: byteCount, isHeap: true) { em_free($0, $1) }
    let target = UnsafeMutableRawBufferPointer(start: base, count: byteCount)
    let count = try read(descriptor, at: 0, into: target)
    guard count == byteCount else {
      throw .tooShort(path, byteCount: UInt64(count), expected: byteCount)
    }
    return bytes
  }
}
