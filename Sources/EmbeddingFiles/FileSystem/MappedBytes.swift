/// A run of bytes that stays readable while this object lives: a mapping or a heap block.
///
/// Safe to share: the bytes are never written after initialisation, and whoever provides them
/// gives a `release` that may run on any thread.
package final class MappedBytes: @unchecked Sendable {  // The bytes are immutable until deinit.
  package let byteCount: Int
  /// Whether the bytes cost private memory (a heap block) rather than shared page cache.
  package let isHeap: Bool
  private let base: UnsafeRawPointer?
  private let release: (UnsafeRawPointer?, Int) -> Void

  /// Takes over `byteCount` bytes at `base`, which `release` gives back.
  package init(
    base: UnsafeRawPointer?, byteCount: Int, isHeap: Bool,
    release: @escaping @Sendable (UnsafeRawPointer?, Int) -> Void
  ) {
    self.base = base
    self.byteCount = byteCount
    self.isHeap = isHeap
    self.release = release
  }

  deinit { release(base, byteCount) }

  /// Calls `body` with all bytes.
  @inline(__always)
  package func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: base, count: byteCount)))
  }
}
