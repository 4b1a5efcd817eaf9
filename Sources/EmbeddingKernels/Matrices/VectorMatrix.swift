/// Vectors of Float32, one a row, as matrix products take them.
///
/// Safe to share: nothing is written after `init`.
@safe
package final class VectorMatrix: @unchecked Sendable {  // The storage is constant after `init`.
  package let count: Int
  package let dimension: Int
  let floats: UnsafeMutablePointer<Float>
  /// The length of the longest vector, rounded up.
  let maximumLength: Double

  /// - Precondition: `components` holds whole vectors of `dimension` finite numbers.
  package init(_ components: [Float], dimension: Int) {
    precondition(
      dimension > 0 && components.count.isMultiple(of: dimension), "a matrix has whole rows")
    self.dimension = dimension
    count = components.count / dimension
    var largest = 0.0
    for row in 0..<count {
      var sum = 0.0
      for component in components[row * dimension..<(row + 1) * dimension] {
        sum += Double(component) * Double(component)
      }
      largest = max(largest, sum)
    }
    maximumLength = (largest * (1 + Double(dimension + 4) * 0x1p-52)).squareRoot() * (1 + 0x1p-50)
    floats = allocateAligned(components.count)
    components.withUnsafeBufferPointer { source in
      guard let source = source.baseAddress else { return }
      floats.initialize(from: source, count: components.count)
    }
  }

  deinit { floats.deallocate() }
}
