internal import EmbeddingStores

extension LegacyReport {
  private static let batchRowCount = 1_024

  mutating func leave(_ key: [UInt8], _ reason: Reason) {
    leftovers.append(Leftover(key: String(decoding: key, as: UTF8.self), reason: reason))
  }

  /// Stores records, batch by batch, but for those that the store refuses.
  mutating func put(
    _ records: some RandomAccessCollection<Record>, into store: EmbeddingStore,
    _ progress: (ImportProgress) -> Void
  ) throws(StoreError) {
    var batch: [Record] = []
    var checkedCount = 0
    for record in records {
      checkedCount += 1
      if let defect = store.defect(of: record) {
        leave(Array(record.key.utf8), .refused(defect))
      } else {
        batch.append(record)
      }
      guard batch.count == Self.batchRowCount || checkedCount == records.count else { continue }
      guard !Task.isCancelled else {
        throw StoreError(.cancelled, "The import was cancelled. Rows stored so far stay.")
      }
      try store.put(batch)
      importedCount += batch.count
      batch.removeAll(keepingCapacity: true)
      progress(
        ImportProgress(
          checkedRowCount: checkedCount, storedRowCount: importedCount,
          totalRowCount: records.count))
    }
    leftovers.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}
