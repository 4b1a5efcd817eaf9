internal import EmbeddingFiles
internal import EmbeddingStores

/// One import: a pass over both files that checks, and one that stores.
struct VectorImport {
  let store: EmbeddingStore
  let vectors: VectorFile
  let list: RecordList
  var fileSystem: any FileSystem = POSIXFileSystem()

  func run(_ progress: (ImportProgress) -> Void) throws(StoreError) -> Int {
    guard vectors.dimension == store.space.dimension else {
      throw StoreError(
        .wrongDimension,
        "The file's vectors have \(vectors.dimension) components; the store's space has "
          + "\(store.space.dimension). They are of another model.", path: vectors.path)
    }
    try check(progress)
    var storedCount = 0
    try forEachBatch { (batch) throws(StoreError) in
      try store.put(batch.records)
      storedCount += batch.records.count
      progress(
        ImportProgress(
          checkedRowCount: vectors.rowCount, storedRowCount: storedCount,
          totalRowCount: vectors.rowCount))
    }
    return storedCount
  }

  private func check(_ progress: (ImportProgress) -> Void) throws(StoreError) {
    var identities = RepeatedIdentities()
    try forEachBatch { (batch) throws(StoreError) in
      for (index, record) in batch.records.enumerated() {
        if let defect = store.defect(of: record) {
          throw defect.located("Row \(batch.firstRow + index)", in: vectors.path)
        }
        identities.note(record.key, record.part)
      }
      progress(
        ImportProgress(
          checkedRowCount: batch.firstRow + batch.records.count, storedRowCount: 0,
          totalRowCount: vectors.rowCount))
    }
    var suspects = identities.suspects()
    guard !suspects.isEmpty else { return }
    try forEachBatch { (batch) throws(StoreError) in
      for (index, record) in batch.records.enumerated() {
        let row = batch.firstRow + index
        guard let first = suspects.firstRow(of: record.key, record.part, at: row) else { continue }
        throw StoreError(
          .duplicateKey,
          "Rows \(first) and \(row) have the same key, \"\(record.key)\", and part \(record.part). "
            + "Give each row a key or a part of its own.", path: vectors.path,
          key: record.key)
      }
    }
  }
}

// MARK: - Batches

extension VectorImport {
  private struct Batch {
    var firstRow: Int
    var records: [Record] = []
    var detailByteCount = 0
  }

  private static let batchRowCount = 1_024
  private static let batchByteCount = 4 << 20

  /// Calls `body` with all rows in order, some at a time.
  private func forEachBatch(_ body: (Batch) throws(StoreError) -> Void) throws(StoreError) {
    var lines = try RecordListReader(list, on: fileSystem)
    let readCount = max(1, min(Self.batchRowCount, Self.batchByteCount / vectors.rowByteCount))
    var row = 0
    while row < vectors.rowCount {
      let end = min(vectors.rowCount, row + readCount)
      var batch = Batch(firstRow: row)
      for vector in try vectors.vectors(row..<end) {
        guard !Task.isCancelled else {
          throw StoreError(.cancelled, "The import was cancelled. Rows stored so far stay.")
        }
        guard let line = try lines.next() else {
          throw StoreError(
            .countMismatch,
            "There are \(vectors.rowCount) vectors and only \(row) lines. Each row needs one.",
            path: lines.path)
        }
        batch.records.append(line.record(vector))
        batch.detailByteCount += line.byteCount
        row += 1
        if batch.detailByteCount >= Self.batchByteCount {
          try body(batch)
          batch = Batch(firstRow: row)
        }
      }
      if !batch.records.isEmpty { try body(batch) }
    }
    guard case .rowNumbers = list else {
      guard try lines.next() == nil else {
        throw StoreError(
          .countMismatch,
          "There are only \(vectors.rowCount) vectors, and more lines. Each line belongs to a row.",
          path: lines.path)
      }
      return
    }
  }
}
