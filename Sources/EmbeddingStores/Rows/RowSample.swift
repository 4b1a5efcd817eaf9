internal import EmbeddingFiles
internal import EmbeddingKernels

/// Rows held in memory, to be scored with one another again and again.
///
/// 6 bytes of memory a component. For use by one thread at a time.
package final class RowSample {
  private let block: RowBlock
  package let dimension: Int

  /// Reads all of `rows`.
  package init(_ rows: LiveRows) throws(StoreError) {
    dimension = rows.dimension
    let block = RowBlock(dimension: dimension, capacity: max(rows.count, 1))
    try translatingErrors { () throws(StorageError) in
      try rows.read(0..<rows.count, into: block)
    }
    self.block = block
  }

  package var count: Int { block.count }
  package var squaredLengths: [Float] { block.squaredLengths }

  /// The scores of one row with every row, not clamped. One dot product a row.
  package func scores(withRowAt position: Int) -> [Float] {
    block.scores(withRowAt: position)
  }

  package func vector(at position: Int) -> [Float] { block.vector(at: position) }
}
