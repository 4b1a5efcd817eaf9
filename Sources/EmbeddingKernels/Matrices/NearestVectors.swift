import CEmbeddingKernels

/// Finds the vector of a matrix that scores highest with each row of a block.
///
/// One matrix product scores them all; where its rounding leaves more than one vector in question,
/// K decides, and among equals the first vector. So the answer is that of K alone: it depends
/// neither on the BLAS nor on where in a block a row is. Holds scratch; for use by one thread at a
/// time.
@safe
package final class NearestVectors {
  private let matrix: VectorMatrix
  private let products: UnsafeMutablePointer<Float>
  private let selected: UnsafeMutablePointer<UInt32>
  private let rowCapacity: Int
  /// Floats from one row of products to the next: whole steps of 16.
  private let stride: Int
  private let margin: Float
  private let kernels: Kernels

  /// - Precondition: the matrix has a vector, and no row is longer than `rowLength`.
  package init(
    _ matrix: VectorMatrix, rowCapacity: Int, rowLength: Float, kernels: Kernels = .current
  ) {
    precondition(matrix.count > 0 && rowCapacity > 0, "there is nothing to choose from")
    self.matrix = matrix
    self.rowCapacity = rowCapacity
    self.kernels = kernels
    stride = (matrix.count + 15) & ~15
    products = allocateAligned(rowCapacity * stride)
    products.initialize(repeating: -.infinity, count: rowCapacity * stride)
    selected = .allocate(capacity: stride)
    margin = ProductMargin.bound(
      dimension: matrix.dimension, lengths: matrix.maximumLength * Double(rowLength))
  }

  deinit {
    products.deallocate()
    selected.deallocate()
  }

  /// Calls `body` with the position of each row, in order, and its vector. `score` is K when
  /// `scoring`, else without meaning.
  package func forEachRow(
    of block: RowBlock, scoring: Bool, _ body: (_ row: Int, _ vector: Int, _ score: Float) -> Void
  ) {
    multiply(block)
    for row in 0..<block.count {
      let scores = products + row * stride
      let best = maximum(scores)
      let found = kernels.table.pointee.select_f32(
        scores, matrix.count, (best - 2 * margin).nextDown, selected)
      var (vector, score) = (Int(selected[0]), Float(0))
      if scoring || found > 1 {
        score = block.score(matrix.floats + vector * matrix.dimension, row)
        for other in 1..<max(found, 1) {
          let candidate = Int(selected[other])
          let other = block.score(matrix.floats + candidate * matrix.dimension, row)
          if other > score { (vector, score) = (candidate, other) }
        }
      }
      body(row, vector, score)
    }
  }

  /// Calls `body` with the two largest scores of each row, as the product has them.
  ///
  /// - Precondition: the matrix has two vectors.
  package func forEachBestTwo(
    of block: RowBlock, _ body: (_ best: Float, _ next: Float) -> Void
  ) {
    precondition(matrix.count > 1, "there is no second one")
    multiply(block)
    for row in 0..<block.count {
      let scores = products + row * stride
      var (best, next) = (-Float.infinity, -Float.infinity)
      for vector in 0..<matrix.count {
        let score = scores[vector]
        if score > best { (best, next) = (score, best) } else if score > next { next = score }
      }
      body(best, next)
    }
  }

  private func multiply(_ block: RowBlock) {
    precondition(
      block.count <= rowCapacity && block.dimension == matrix.dimension, "the block does not fit")
    guard block.count > 0 else { return }
    multiplyTransposed(
      left: block.floats, leftCount: block.count, right: matrix.floats, rightCount: matrix.count,
      depth: matrix.dimension, products: products, productStride: stride)
  }

  /// The largest of a row of products, whose padding is never larger.
  private func maximum(_ scores: UnsafeMutablePointer<Float>) -> Float {
    let raw = UnsafeRawPointer(scores)
    var largest = SIMD16<Float>(repeating: -.infinity)
    for index in Swift.stride(from: 0, to: stride * 4, by: 64) {
      let next = raw.load(fromByteOffset: index, as: SIMD16<Float>.self)
      largest.replace(with: next, where: next .> largest)
    }
    return largest.max()
  }
}
