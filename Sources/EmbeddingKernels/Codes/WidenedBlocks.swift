import CEmbeddingKernels

/// Takes rows of halves as floats, a block at a time.
struct WidenedBlocks {
  /// Bytes from one row to the next.
  let stride: Int
  let dimension: Int
  let rowCount: Int
  let kernels: Kernels

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
      let block = allocateAligned(min(rowCount, count) * dimension)
      defer { block.deallocate() }
      var start = 0
      while start < count {
        let widened = min(rowCount, count - start)
        kernels.table.pointee.widen_rows_f16(
          base + start * stride, stride, widened, dimension, block, dimension)
        body(block, widened)
        start += widened
      }
    }
  }
}
