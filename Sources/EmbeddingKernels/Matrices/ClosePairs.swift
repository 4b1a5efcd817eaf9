import CEmbeddingKernels

/// Finds the pairs of rows of two blocks whose score is not below a threshold.
///
/// One matrix product scores all of them; what it can not rule out is scored again by K. K of two
/// stored rows is the same whichever of them is the query. Holds scratch; for use by one thread at
/// a time.
@safe
package final class ClosePairs {
  private let products: UnsafeMutablePointer<Float>
  private let selected: UnsafeMutablePointer<UInt32>
  private let scores: UnsafeMutablePointer<Float>
  private let rowCapacity: Int
  /// Not a power of two: see `ScoreBuffer`.
  private let stride: Int
  private let kernels: Kernels

  /// For blocks of at most `rowCapacity` rows.
  package init(rowCapacity: Int, kernels: Kernels = .current) {
    precondition(rowCapacity > 0, "a block has rows")
    self.rowCapacity = rowCapacity
    self.kernels = kernels
    stride = rowCapacity + 16
    products = allocateAligned(rowCapacity * stride)
    selected = .allocate(capacity: stride)
    scores = allocateAligned(stride)
  }

  deinit {
    products.deallocate()
    selected.deallocate()
    scores.deallocate()
  }

  /// Calls `body` with the positions of the pairs, in order, and with K. When both are the same
  /// block each pair of different rows comes once.
  ///
  /// - Precondition: no row is longer than `rowLength`.
  package func forEach(
    _ left: RowBlock, _ right: RowBlock, atLeast threshold: Float, rowLength: Float,
    _ body: (_ left: Int, _ right: Int, _ score: Float) -> Void
  ) {
    let dimension = left.dimension
    precondition(
      max(left.count, right.count) <= rowCapacity && right.dimension == dimension,
      "the blocks do not fit")
    guard left.count > 0, right.count > 0 else { return }
    multiplyTransposed(
      left: left.floats, leftCount: left.count, right: right.floats, rightCount: right.count,
      depth: dimension, products: products, productStride: stride)
    let margin = ProductMargin.bound(
      dimension: dimension, lengths: Double(rowLength) * Double(rowLength))
    let limit = (threshold - margin).nextDown
    for row in 0..<left.count {
      let first = left === right ? row + 1 : 0
      let found = kernels.table.pointee.select_f32(
        products + row * stride + first, right.count - first, limit, selected)
      guard found > 0 else { continue }
      for index in 0..<found { selected[index] += UInt32(truncatingIfNeeded: first) }
      kernels.table.pointee.dot_gather_f16(
        right.halves, right.stride, selected, found, left.floats + row * dimension, dimension,
        scores)
      for index in 0..<found where scores[index] >= threshold {
        body(row, Int(selected[index]), scores[index])
      }
    }
  }
}
