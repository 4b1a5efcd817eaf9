import CEmbeddingKernels

/// Takes rows of halves as floats, a block at a time. Holds one block; for use by one thread at a time.
final class WidenedBlocks {
  private let stride: Int
  private let dimension: Int
  private let rowCount: Int
  private let kernels: Kernels
  private let block: LargeBuffer<Float>

  /// For rows `stride` bytes apart, up to `rowCount` of which make a block.
  init(stride: Int, dimension: Int, rowCount: Int, kernels: Kernels) {
    self.stride = stride
    self.dimension = dimension
    self.rowCount = rowCount
    self.kernels = kernels
    block = LargeBuffer(count: rowCount * dimension)
  }

  /// Calls `body` with blocks of up to `rowCount` of the rows, `dimension` floats apart, and the
  /// number of rows in each.
  ///
  /// - Precondition: there are `count` rows.
  func forEach(
    of rows: RawSpan, _ count: Int, _ body: (_ rows: UnsafePointer<Float>, _ count: Int) -> Void
  ) {
    rows.checkRows(stride: stride, count: count, dimension: dimension)
    rows.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var start = 0
      while start < count {
        let widened = min(rowCount, count - start)
        kernels.table.pointee.widen_rows_f16(
          base + start * stride, stride, widened, dimension, block.base, dimension)
        body(block.base, widened)
        start += widened
      }
    }
  }
}
