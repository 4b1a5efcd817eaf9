internal import CEmbeddingMemory

/// A fixed number of rows in memory that never moves.
///
/// Safe to share: one writer appends, under the lock of `JournalRows`, only beyond the count that
/// any reader was given, and a row is never changed once a reader may see it.
final class JournalRowChunk: @unchecked Sendable {  // See above.
  private let stride: Int
  private let rows: UnsafeMutableRawPointer
  private let rowByteCount: Int
  private let details: UnsafeMutablePointer<JournalRow>
  private var count = 0

  init(stride: Int, capacity: Int) {
    self.stride = stride
    // At a cache line, as the kernels like it, and not initialised.
    rowByteCount = capacity * stride
    rows = em_take(rowByteCount)
    details = .allocate(capacity: capacity)
  }

  deinit {
    details.deinitialize(count: count)
    details.deallocate()
    em_free(rows, rowByteCount)
  }

  func append(
    _ row: RecordDetails, changeNumber: UInt64, hash: UInt64, olderWithSameHash: UInt32?,
    bytes: RawSpan
  ) {
    let target = rows + count * stride
    bytes.withUnsafeBytes { source in
      UnsafeMutableRawBufferPointer(start: target, count: source.count).copyMemory(from: source)
    }
    (target + bytes.byteCount).initializeMemory(
      as: UInt8.self, repeating: 0, count: stride - bytes.byteCount)
    (details + count).initialize(
      to: JournalRow(
        details: row, changeNumber: changeNumber, hash: hash,
        olderWithSameHash: olderWithSameHash))
    count += 1
  }

  func removeLast() {
    count -= 1
    (details + count).deinitialize(count: 1)
  }

  /// What a row holds beside its vector, where it lies.
  subscript(index: Int) -> JournalRow {
    _read { yield details[index] }
  }

  func withRows<Result, Failure: Error>(
    _ range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let buffer = UnsafeRawBufferPointer(
      start: rows + range.lowerBound * stride, count: range.count * stride)
    return try body(RawSpan(_unsafeBytes: buffer))
  }
}

/// A journal row beside its vector.
struct JournalRow: Sendable {
  var details: RecordDetails
  var changeNumber: UInt64
  var hash: UInt64
  var olderWithSameHash: UInt32?

  /// Bytes of memory, with what the strings and the metadata hold.
  var byteCount: Int {
    details.labels.reduce(
      MemoryLayout<JournalRow>.stride + details.key.utf8.count + (details.metadata?.count ?? 0)
        + (details.text?.utf8.count ?? 0)
    ) { $0 + MemoryLayout<String>.stride + $1.utf8.count }
  }
}
