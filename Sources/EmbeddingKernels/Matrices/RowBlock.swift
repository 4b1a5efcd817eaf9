import CEmbeddingKernels

/// Rows from wherever they lie, side by side: as halves for K, and widened for matrix products.
///
/// Takes 6 bytes a component. Holds storage; for use by one thread at a time.
@safe
package final class RowBlock {
  package let dimension: Int
  /// Rows that fit.
  package let capacity: Int
  /// Rows appended so far.
  package private(set) var count = 0
  let stride: Int
  let halves: UnsafeMutableRawPointer
  let floats: UnsafeMutablePointer<Float>
  let kernels: Kernels

  package init(dimension: Int, capacity: Int, kernels: Kernels = .current) {
    precondition(dimension > 0 && capacity > 0, "a block has rows, and these have components")
    self.dimension = dimension
    self.capacity = capacity
    self.kernels = kernels
    stride = RowBuffer.stride(forDimension: dimension)
    halves = .allocate(byteCount: capacity * stride, alignment: 64)
    floats = allocateAligned(capacity * dimension)
  }

  deinit {
    halves.deallocate()
    floats.deallocate()
  }

  /// Removes every row and keeps the storage.
  package func removeAll() { count = 0 }

  /// Appends the first `rowCount` rows of `rows`, `sourceStride` bytes apart.
  ///
  /// - Precondition: they fit, and lie within `rows`, which starts at an even address.
  package func append(_ rows: RawSpan, stride sourceStride: Int, count rowCount: Int) {
    precondition(rowCount <= capacity - count, "the block is full")
    rows.checkRows(stride: sourceStride, count: rowCount, dimension: dimension)
    rows.withUnsafeBytes { bytes in
      guard rowCount > 0, let base = bytes.baseAddress else { return }
      kernels.table.pointee.widen_rows_f16(
        base, sourceStride, rowCount, dimension, floats + count * dimension, dimension)
      for row in 0..<rowCount {
        (halves + (count + row) * stride)
          .copyMemory(from: base + row * sourceStride, byteCount: 2 * dimension)
      }
    }
    count += rowCount
  }

  /// K of the row at `position` with every row.
  package func scores(withRowAt position: Int) -> [Float] {
    precondition(position >= 0 && position < count, "no such row")
    return [Float](unsafeUninitializedCapacity: count) { scores, initializedCount in
      if let scores = scores.baseAddress {
        kernels.table.pointee.dot_f16(
          halves, stride, count, floats + position * dimension, dimension, scores)
      }
      initializedCount = count
    }
  }

  /// K of each row with itself.
  package var squaredLengths: [Float] {
    (0..<count).map { score(floats + $0 * dimension, $0) }
  }

  /// The components of the row at `position`.
  package func vector(at position: Int) -> [Float] {
    precondition(position >= 0 && position < count, "no such row")
    return Array(
      UnsafeBufferPointer(start: floats + position * dimension, count: dimension))
  }

  /// K of the row at `position` and the one row that `bytes`, from an even address on, hold.
  package func score(ofRowAt position: Int, with bytes: RawSpan) -> Float {
    precondition(position >= 0 && position < count, "no such row")
    bytes.checkRows(stride: stride, count: 1, dimension: dimension)
    return bytes.withUnsafeBytes { bytes in
      var score: Float = 0
      if let row = bytes.baseAddress {
        kernels.table.pointee.dot_f16(
          row, stride, 1, floats + position * dimension, dimension, &score)
      }
      return score
    }
  }

  /// K of `vector`, which has the dimension of the rows, and the row at `position`.
  func score(_ vector: UnsafePointer<Float>, _ position: Int) -> Float {
    var score: Float = 0
    kernels.table.pointee.dot_f16(
      halves + position * stride, stride, 1, vector, dimension, &score)
    return score
  }
}
