import Synchronization

/// The rows that a journal's entries added since its main file, in memory.
///
/// Rows are only ever appended, by one writer at a time, and stay where they are: a snapshot is a
/// count, and reading rows below it needs no lock. Which of them are live is not known here.
package final class JournalRows: Sendable {
  package static let chunkRowCount = 1_024

  package let stride: Int
  private let storage = Mutex(Storage())

  private struct Storage {
    var chunks: [JournalRowChunk] = []
    var count = 0
    /// The newest row for the hash of a key; older ones are linked from it.
    var newest: [UInt64: UInt32] = [:]
    var detailsByteCount = 0
  }

  package init(stride: Int) {
    self.stride = stride
  }

  /// Rows appended so far, published or not.
  package var count: Int { storage.withLock { $0.count } }

  /// Bytes of memory: whole chunks of rows, and roughly what their details take.
  package var byteCount: Int {
    storage.withLock {
      $0.chunks.count * Self.chunkRowCount * (stride + MemoryLayout<JournalRow>.stride)
        + $0.detailsByteCount
    }
  }

  /// The chunks that hold the rows below `count`.
  func chunks(count: Int) -> [JournalRowChunk] {
    storage.withLock {
      Array($0.chunks.prefix((count + Self.chunkRowCount - 1) / Self.chunkRowCount))
    }
  }

  /// Appends a row; `hash` is its key's, `bytes` are its components, and zeros are added up to the
  /// stride.
  func append(_ details: RecordDetails, hash: UInt64, changeNumber: UInt64, row bytes: RawSpan) {
    storage.withLock { storage in
      let index = storage.count
      if index % Self.chunkRowCount == 0 {
        storage.chunks.append(JournalRowChunk(stride: stride))
      }
      let link = storage.newest.updateValue(UInt32(truncatingIfNeeded: index), forKey: hash)
      storage.chunks[index / Self.chunkRowCount].append(
        JournalRow(
          details: details, changeNumber: changeNumber, hash: hash, olderWithSameHash: link),
        bytes: bytes)
      storage.count += 1
      storage.detailsByteCount += details.approximateByteCount
    }
  }

  /// Forgets the rows from `count` on, which no snapshot may have seen.
  func removeRows(from count: Int) {
    storage.withLock { storage in
      while storage.count > count {
        storage.count -= 1
        let row = storage.chunks[storage.count / Self.chunkRowCount].removeLast()
        storage.newest[row.hash] = row.olderWithSameHash
        storage.detailsByteCount -= row.details.approximateByteCount
        if storage.count % Self.chunkRowCount == 0 { storage.chunks.removeLast() }
      }
    }
  }

  /// Rows below `count` whose key has this hash, newest first, live or not.
  func rows(withHash hash: UInt64, below count: Int) -> [Int] {
    storage.withLock { storage in
      var rows: [Int] = []
      var next = storage.newest[hash]
      while let row = next.map(Int.init) {
        if row < count { rows.append(row) }
        next =
          storage.chunks[row / Self.chunkRowCount].details(row % Self.chunkRowCount)
          .olderWithSameHash
      }
      return rows
    }
  }
}

/// A journal row beside its vector.
struct JournalRow: Sendable {
  var details: RecordDetails
  var changeNumber: UInt64
  var hash: UInt64
  var olderWithSameHash: UInt32?
}

/// Up to `JournalRows.chunkRowCount` rows in memory that never moves.
///
/// Safe to share: one writer appends, under the lock of `JournalRows`, only beyond the count that
/// any reader was given, and a row is never changed once a reader may see it.
final class JournalRowChunk: @unchecked Sendable {  // See above.
  private let stride: Int
  private let rows: UnsafeMutableRawPointer
  private let details: UnsafeMutablePointer<JournalRow>
  private var count = 0

  init(stride: Int) {
    self.stride = stride
    rows = .allocate(byteCount: JournalRows.chunkRowCount * stride, alignment: 64)
    details = .allocate(capacity: JournalRows.chunkRowCount)
  }

  deinit {
    details.deinitialize(count: count)
    details.deallocate()
    rows.deallocate()
  }

  func append(_ row: JournalRow, bytes: RawSpan) {
    let target = rows + count * stride
    bytes.withUnsafeBytes { source in
      target.copyMemory(
        from: source.baseAddress ?? UnsafeRawPointer(target), byteCount: source.count)
    }
    (target + bytes.byteCount).initializeMemory(
      as: UInt8.self, repeating: 0, count: stride - bytes.byteCount)
    (details + count).initialize(to: row)
    count += 1
  }

  func removeLast() -> JournalRow {
    count -= 1
    return (details + count).move()
  }

  func details(_ index: Int) -> JournalRow {
    details[index]
  }

  func key(_ index: Int) -> String {
    details[index].details.key
  }

  func part(_ index: Int) -> UInt16 {
    details[index].details.part
  }

  func timestamp(_ index: Int) -> Int64 {
    details[index].details.timestamp
  }

  func withRows<Result, Failure: Error>(
    _ range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let buffer = UnsafeRawBufferPointer(
      start: rows + range.lowerBound * stride, count: range.count * stride)
    return try body(RawSpan(_unsafeBytes: buffer))
  }
}

extension RecordDetails {
  /// Bytes of the strings and metadata, for the size that statistics report.
  var approximateByteCount: Int {
    labels.reduce(key.utf8.count + (metadata?.count ?? 0) + (text?.utf8.count ?? 0)) {
      $0 + 16 + $1.utf8.count
    }
  }
}
