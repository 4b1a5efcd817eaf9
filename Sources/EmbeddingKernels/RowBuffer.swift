import CEmbeddingKernels

/// Float16 rows under construction.
///
/// A row takes `dimension * 2` bytes rounded up to 64; padding is zero. The storage is aligned to
/// 64 bytes. For use by one thread at a time.
@safe
package final class RowBuffer {
  package let dimension: Int
  package let stride: Int
  /// Rows appended so far.
  package private(set) var count = 0
  private let kernels: Kernels
  private var capacity: Int
  private var storage: UnsafeMutableRawPointer

  /// Reserves room for `capacity` rows; more are allocated when needed.
  ///
  /// - Precondition: `dimension` is positive and `capacity` not negative.
  package init(dimension: Int, capacity: Int, kernels: Kernels = .current) {
    precondition(dimension > 0 && capacity >= 0, "a row needs at least one component")
    self.dimension = dimension
    self.kernels = kernels
    self.capacity = max(capacity, 1)
    stride = Self.stride(forDimension: dimension)
    storage = .allocate(byteCount: self.capacity * stride, alignment: 64)
  }

  deinit { storage.deallocate() }

  /// Bytes from one row to the next.
  package static func stride(forDimension dimension: Int) -> Int { (dimension * 2 + 63) & ~63 }

  /// Appends a vector, rounded to Float16, after dividing it by its length when `normalizing`.
  ///
  /// The length is taken and divided by in Float64, so any finite vector of length 1e-6 or more
  /// can be normalised. The buffer is unchanged after an error. Costs two passes.
  package func append(
    _ vector: Span<Float>, normalizing: Bool
  ) throws(VectorDefect) {
    try vector.withUnsafeBufferPointer { (source) throws(VectorDefect) in
      let length = try kernels.checkedLength(
        source, dimension: dimension, normalizing: normalizing)
      // A vector of the right dimension is not empty, so it has an address.
      let base = source.baseAddress!
      let row = nextRow()
      if normalizing {
        kernels.table.pointee.scale_f32_f16(base, dimension, 1 / length, row)
      } else {
        kernels.table.pointee.convert_f32_f16(base, dimension, row)
      }
      count += 1
    }
  }

  /// Removes every row and keeps the storage.
  package func removeAll() { count = 0 }

  /// Calls `body` with the `count * stride` bytes of all rows.
  package func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(RawSpan(_unsafeStart: storage, byteCount: count * stride))
  }

  /// Room for one more row, whose padding is zero.
  private func nextRow() -> UnsafeMutablePointer<UInt16> {
    if count == capacity { grow() }
    let row = storage + count * stride
    let used = dimension * 2
    if used < stride {
      (row + used).initializeMemory(as: UInt8.self, repeating: 0, count: stride - used)
    }
    return row.assumingMemoryBound(to: UInt16.self)
  }

  private func grow() {
    let larger = UnsafeMutableRawPointer.allocate(byteCount: 2 * capacity * stride, alignment: 64)
    larger.copyMemory(from: storage, byteCount: count * stride)
    storage.deallocate()
    storage = larger
    capacity *= 2
  }
}
