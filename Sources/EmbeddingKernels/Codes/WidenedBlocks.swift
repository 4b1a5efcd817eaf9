import CEmbeddingKernels

/// Rows of halves, taken as floats a block at a time. For use while the rows' memory is valid.
struct WidenedBlocks {
  private let rows: UnsafeRawBufferPointer
  private let stride: Int
  let count: Int
  let dimension: Int
  private let blockRowCount: Int
  private let kernels: Kernels

  init(
    _ rows: UnsafeRawBufferPointer, stride: Int, count: Int, dimension: Int, blockRowCount: Int,
    kernels: Kernels
  ) {
    self.rows = rows
    self.stride = stride
    self.count = count
    self.dimension = dimension
    self.blockRowCount = blockRowCount
    self.kernels = kernels
  }

  /// Calls `body` with the rows of each block, `dimension` floats apart, and their number.
  func forEachBlock(_ body: (UnsafeMutablePointer<Float>, Int) -> Void) {
    guard let base = rows.baseAddress else { return }
    let block = allocateAligned(blockRowCount * dimension)
    defer { block.deallocate() }
    var start = 0
    while start < count {
      let rowCount = min(blockRowCount, count - start)
      kernels.table.pointee.widen_rows_f16(
        base + start * stride, stride, rowCount, dimension, block, dimension)
      body(block, rowCount)
      start += rowCount
    }
  }
}
