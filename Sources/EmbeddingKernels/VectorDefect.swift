import CEmbeddingKernels

/// Why a vector can not be stored or searched for.
package enum VectorDefect: Error, Equatable, Sendable {
  case wrongDimension(expected: Int, found: Int)
  /// The first component that is infinite or not a number.
  case notFinite(component: Int)
  /// The length (L2 norm) of a vector too short to be normalised: below 1e-6.
  case zeroLength(length: Double)
  /// The first component beyond ±65504, the largest Float16; only without normalisation.
  case outOfRange(component: Int)
}

/// The largest finite Float16.
let largestHalf: Float = 65504

/// What normalisation refuses to divide by.
let shortestLength = 1e-6

extension Kernels {
  /// Checks a vector and returns its length in Float64. Costs one pass.
  ///
  /// The sum of squares has no overflow, is finite exactly when every component is, and is never
  /// below the largest square: a sum up to 65504² proves every component in range.
  func checkedLength(
    _ vector: UnsafeBufferPointer<Float>, dimension: Int, normalizing: Bool
  ) throws(VectorDefect) -> Double {
    guard vector.count == dimension, let base = vector.baseAddress else {
      throw .wrongDimension(expected: dimension, found: vector.count)
    }
    let sum = table.pointee.sum_of_squares_f32(base, dimension)
    guard sum.isFinite else {
      throw .notFinite(component: vector.firstIndex { !$0.isFinite } ?? 0)
    }
    let length = sum.squareRoot()
    if normalizing {
      guard length >= shortestLength else { throw .zeroLength(length: length) }
    } else if sum > Double(largestHalf) * Double(largestHalf),
      let component = vector.firstIndex(where: { abs($0) > largestHalf })
    {
      throw .outOfRange(component: component)
    }
    return length
  }
}
