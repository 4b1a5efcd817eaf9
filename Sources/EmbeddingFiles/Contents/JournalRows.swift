import Synchronization

/// The rows that a journal's entries added since its main file, in memory.
///
/// Rows are only ever appended, by one writer at a time, and stay where they are: a snapshot is a
/// count, and reading rows below it needs no lock. Which of them are live is not known here.
package final class JournalRows: Sendable {
  package let stride: Int
  /// Tells these rows from those of other journals without holding on to them.
  package let identifier = UInt64.random(in: .min ... .max)
  let chunkRowCount = 1_024
  private let storage = Mutex(Storage())

  private struct Storage {
    var chunks: [JournalRowChunk] = []
    var count = 0
    /// The newest row for the hash of a key; older ones are linked from it.
    var newest = JournalKeyIndex()
  }

  package init(stride: Int) {
    self.stride = stride
  }

  /// Bytes of memory that the rows take, with what their details hold. Visits every row.
  package var byteCount: Int {
    storage.withLock { storage in
      (0..<storage.count).reduce(0) { sum, row in
        sum + stride + storage.chunks[row / chunkRowCount][row % chunkRowCount].byteCount
      }
    }
  }

  /// The chunks that hold the rows below `count`.
  func chunks(count: Int) -> [JournalRowChunk] {
    storage.withLock {
      Array($0.chunks.prefix((count + chunkRowCount - 1) / chunkRowCount))
    }
  }

  /// Appends a row; `hash` is its key's, `bytes` are its components, and zeros are added up to the
  /// stride. Answers whether an older row may have the same key.
  func append(
    _ details: RecordDetails, hash: UInt64, changeNumber: UInt64, row bytes: RawSpan
  ) -> Bool {
    storage.withLock { storage in
      let index = storage.count
      if index % chunkRowCount == 0 {
        storage.chunks.append(JournalRowChunk(stride: stride, capacity: chunkRowCount))
      }
      let older = storage.newest.insert(hash, row: index)
      storage.chunks[index / chunkRowCount].append(
        details, changeNumber: changeNumber, hash: hash, olderWithSameHash: older, bytes: bytes)
      storage.count += 1
      return older != nil
    }
  }

  /// Forgets the rows from `count` on, which no snapshot may have seen. Visits every row.
  func removeRows(from count: Int) {
    storage.withLock { storage in
      guard storage.count > count else { return }
      while storage.count > count {
        storage.count -= 1
        storage.chunks[storage.count / chunkRowCount].removeLast()
        if storage.count % chunkRowCount == 0 { storage.chunks.removeLast() }
      }
      storage.newest = JournalKeyIndex()
      for row in 0..<count {
        _ = storage.newest.insert(
          storage.chunks[row / chunkRowCount][row % chunkRowCount].hash, row: row)
      }
    }
  }

  /// Rows below `count` whose key may have this hash, newest first, live or not.
  func rows(withHash hash: UInt64, below count: Int) -> [Int] {
    storage.withLock { storage in
      var rows: [Int] = []
      var next = storage.newest[hash]
      while let row = next.map(Int.init) {
        if row < count { rows.append(row) }
        next = storage.chunks[row / chunkRowCount][row % chunkRowCount].olderWithSameHash
      }
      return rows
    }
  }
}
