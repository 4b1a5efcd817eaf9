import CEmbeddingKernels

/// The mean of r·rᵀ over the rows r that are left of a sample's without their share of a direction.
///
/// Holds d x d floats. For use by one thread at a time.
final class SampleCovariance {
  static let blockRowCount = 256

  private let direction: [Float]
  private var count = 0
  private let sums: LargeBuffer<Float>
  private let transposed: LargeBuffer<Float>

  init(around direction: [Float]) {
    self.direction = direction
    sums = LargeBuffer(count: direction.count * direction.count)
    sums.base.initialize(repeating: 0, count: direction.count * direction.count)
    transposed = LargeBuffer(count: direction.count * Self.blockRowCount)
  }

  /// Adds up to `blockRowCount` rows, one behind the other.
  func add(_ rows: UnsafePointer<Float>, _ count: Int) {
    precondition(count <= Self.blockRowCount, "more rows than a block holds")
    let dimension = direction.count
    for row in 0..<count {
      let components = rows + row * dimension
      let share = Float(ek_dot_f32_f64(components, direction, dimension))
      for index in 0..<dimension {
        transposed.base[index * count + row] = components[index] - share * direction[index]
      }
    }
    multiplyTransposed(
      left: transposed.base, leftCount: dimension, right: transposed.base, rightCount: dimension,
      depth: count, adding: true, products: sums.base, productStride: dimension)
    self.count += count
  }

  func makeMatrix() -> LargeBuffer<Double> {
    let matrix = LargeBuffer<Double>(count: direction.count * direction.count)
    for index in 0..<direction.count * direction.count {
      (matrix.base + index).initialize(to: Double(sums.base[index]) / Double(max(count, 1)))
    }
    return matrix
  }
}
