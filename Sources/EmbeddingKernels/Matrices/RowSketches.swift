import CEmbeddingKernels

/// Sketches of rows, side by side; see `SketchBasis`.
///
/// Takes 4 bytes a number. May be written by several threads, each at positions of its own, and
/// then read by any.
@safe
package final class RowSketches: @unchecked Sendable {  // See above.
  package let count: Int
  package let basis: SketchBasis
  let floats: UnsafeMutablePointer<Float>
  /// What a score is at most above the product of two sketches.
  let margin: Float
  private let residualSlack: Double
  private let kernels: Kernels

  /// Room for `count` rows, none of which is longer than `rowLength`.
  package init(_ basis: SketchBasis, count: Int, rowLength: Float, kernels: Kernels = .current) {
    self.basis = basis
    self.count = count
    self.kernels = kernels
    margin = basis.margin(rowLength: rowLength)
    residualSlack = basis.residualSlack(rowLength: rowLength)
    floats = allocateAligned(count * basis.width)
    floats.initialize(repeating: 0, count: count * basis.width)
  }

  deinit { floats.deallocate() }

  /// Sketches the rows of a block, the first at `position`.
  package func write(_ block: RowBlock, at position: Int) {
    let (width, dimension) = (basis.width, basis.dimension)
    precondition(
      block.dimension == dimension && position >= 0 && block.count <= count - position,
      "the rows have no place")
    guard block.count > 0 else { return }
    let sketches = floats + position * width
    multiplyTransposed(
      left: block.floats, leftCount: block.count, right: basis.directions, rightCount: width - 1,
      depth: dimension, products: sketches, productStride: width)
    for row in 0..<block.count {
      let sketch = sketches + row * width
      let whole = kernels.table.pointee.sum_of_squares_f32(
        block.floats + row * dimension, dimension)
      var seen = 0.0
      for index in 0..<width - 1 { seen += Double(sketch[index]) * Double(sketch[index]) }
      let rest = max(0, whole * (1 + 0x1p-40) - seen * (1 - 0x1p-40) + residualSlack)
      sketch[width - 1] = Float(roundingUp: rest.squareRoot() * (1 + 0x1p-50))
    }
  }
}
