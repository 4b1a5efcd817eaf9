internal import EmbeddingFiles
internal import EmbeddingKernels

extension EmbeddingStore {
  /// Why `put` would refuse a record; nil when it would not. Costs one row of arithmetic.
  package func defect(of record: Record) -> StoreError? {
    do throws(StoreError) {
      _ = try RecordDetails(checking: record)
      let row = RowBuffer(dimension: space.dimension, capacity: 1)
      do throws(VectorDefect) {
        try row.append(record.components.span, normalizing: space.normalization == .unitLength)
      } catch {
        throw StoreError(error, key: record.key)
      }
      return nil
    } catch {
      return error
    }
  }
}
