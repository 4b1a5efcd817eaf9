internal import CEmbeddingMemory

/// Builds little-endian bytes in memory that grows as needed. For use by one thread at a time.
///
/// Every record that is put goes through here, so storage is plain memory and an append is a
/// comparison and a store.
package final class ByteWriter {
  package private(set) var count = 0
  private var capacity: Int
  private var storage: UnsafeMutableRawPointer

  package init(capacity: Int = 256) {
    self.capacity = max(capacity, 16)
    storage = em_take(self.capacity)
  }

  deinit { em_free(storage, capacity) }

  /// A copy of the bytes written so far.
  package var bytes: [UInt8] {
    [UInt8](UnsafeRawBufferPointer(start: storage, count: count))
  }

  /// Calls `body` with the bytes written so far.
  package func withRawSpan<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(RawSpan(_unsafeStart: storage, byteCount: count))
  }

  @inline(__always)
  package func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
    reserve(MemoryLayout<Value>.size)
    storage.storeBytes(of: value.littleEndian, toByteOffset: count, as: Value.self)
    count += MemoryLayout<Value>.size
  }

  package func append(_ span: RawSpan) {
    span.withUnsafeBytes { append($0) }
  }

  package func append(_ array: [UInt8]) {
    array.withUnsafeBytes { append($0) }
  }

  /// Appends the UTF-8 bytes of a string.
  package func append(utf8 string: String) {
    let isContiguous: Void? = string.utf8.withContiguousStorageIfAvailable {
      append(UnsafeRawBufferPointer($0))
    }
    if isContiguous == nil { append(Array(string.utf8)) }
  }

  package func appendZeros(_ zeroCount: Int) {
    reserve(zeroCount)
    (storage + count).initializeMemory(as: UInt8.self, repeating: 0, count: zeroCount)
    count += zeroCount
  }

  /// Replaces bytes already written.
  ///
  /// - Precondition: They lie within `count`.
  package func overwrite<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int)
  {
    precondition(
      offset >= 0 && offset + MemoryLayout<Value>.size <= count, "overwriting what is not there")
    storage.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
  }

  /// Forgets all bytes and keeps the storage.
  package func removeAll() {
    count = 0
  }

  /// Forgets the first `removed` bytes.
  ///
  /// - Precondition: There are so many.
  package func removeFirst(_ removed: Int) {
    precondition(removed >= 0 && removed <= count, "removing what is not there")
    storage.copyMemory(from: storage + removed, byteCount: count - removed)
    count -= removed
  }

  private func append(_ buffer: UnsafeRawBufferPointer) {
    guard let base = buffer.baseAddress else { return }
    reserve(buffer.count)
    (storage + count).copyMemory(from: base, byteCount: buffer.count)
    count += buffer.count
  }

  @inline(__always)
  private func reserve(_ added: Int) {
    if capacity - count < added { grow(by: added) }
  }

  private func grow(by added: Int) {
    let larger = max(capacity * 2, count + added)
    let moved: UnsafeMutableRawPointer = em_take(larger)
    moved.copyMemory(from: storage, byteCount: count)
    em_free(storage, capacity)
    storage = moved
    capacity = larger
  }
}
