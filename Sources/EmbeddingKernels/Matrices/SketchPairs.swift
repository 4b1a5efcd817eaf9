import CEmbeddingKernels

/// Finds the pairs of sketched rows whose score may reach a threshold.
///
/// One matrix product bounds all of them. Holds scratch; for use by one thread at a time.
@safe
package final class SketchPairs {
  private let products: UnsafeMutablePointer<Float>
  private let selected: UnsafeMutablePointer<UInt32>
  private let rowCapacity: Int
  /// Not a power of two: see `ScoreBuffer`.
  private let stride: Int
  private let kernels: Kernels

  /// For ranges of at most `rowCapacity` rows.
  package init(rowCapacity: Int, kernels: Kernels = .current) {
    precondition(rowCapacity > 0, "a range has rows")
    self.rowCapacity = rowCapacity
    self.kernels = kernels
    stride = rowCapacity + 16
    products = allocateAligned(rowCapacity * stride)
    selected = .allocate(capacity: stride)
  }

  deinit {
    products.deallocate()
    selected.deallocate()
  }

  /// Calls `body` with the positions of every pair that may have a score of at least `threshold`, in
  /// order. When both ranges are the same each pair of different rows comes once.
  package func forEach(
    _ left: Range<Int>, _ right: Range<Int>, of sketches: RowSketches, atLeast threshold: Float,
    _ body: (_ left: Int, _ right: Int) -> Void
  ) {
    let width = sketches.basis.width
    precondition(max(left.count, right.count) <= rowCapacity, "the ranges do not fit")
    precondition(
      min(left.lowerBound, right.lowerBound) >= 0
        && max(left.upperBound, right.upperBound) <= sketches.count, "no such rows")
    guard !left.isEmpty, !right.isEmpty else { return }
    multiplyTransposed(
      left: sketches.floats + left.lowerBound * width, leftCount: left.count,
      right: sketches.floats + right.lowerBound * width, rightCount: right.count, depth: width,
      products: products, productStride: stride)
    let limit = (threshold - sketches.margin).nextDown
    for row in 0..<left.count {
      let first = left == right ? row + 1 : 0
      let found = kernels.table.pointee.select_f32(
        products + row * stride + first, right.count - first, limit, selected)
      for index in 0..<found {
        body(left.lowerBound + row, right.lowerBound + first + Int(selected[index]))
      }
    }
  }
}
