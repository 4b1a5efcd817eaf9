import CEmbeddingKernels

/// A query that has been checked, and normalised when the space asks for it.
package struct PreparedQuery: Sendable {
  /// The components as the kernels use them.
  package let vector: [Float]
  /// The length (L2 norm) of `vector`, rounded up; infinite or NaN when a component is.
  package let length: Float

  package var dimension: Int { vector.count }

  /// Checks `vector` and, when `normalizing`, divides it by its length (Float64 arithmetic,
  /// rounded to Float32).
  package init(
    _ vector: Span<Float>, dimension: Int, normalizing: Bool, kernels: Kernels = .current
  ) throws(VectorDefect) {
    let components = try vector.withUnsafeBufferPointer {
      (source) throws(VectorDefect) -> [Float] in
      let length = try kernels.checkedLength(
        source, dimension: dimension, normalizing: normalizing)
      guard normalizing else { return Array(source) }
      let scale = 1 / length
      return source.map { Float(Double($0) * scale) }
    }
    self.init(components, kernels: kernels)
  }

  /// Takes a stored row of `dimension` halves as the query: widened exactly, not normalised again.
  package init(row: RawSpan, dimension: Int, kernels: Kernels = .current) {
    self.init(widened(row: row, dimension: dimension, kernels: kernels), kernels: kernels)
  }

  private init(_ components: [Float], kernels: Kernels) {
    vector = components
    let sum = components.withUnsafeBufferPointer { source in
      source.baseAddress.map { kernels.table.pointee.sum_of_squares_f32($0, source.count) } ?? 0
    }
    // The sum is short of the exact one by at most a factor of (1 - 2⁻⁵³)ⁿ, the root by one more.
    let slack = 1 + Double(components.count + 4) * 0x1p-53
    length = Float(roundingUp: (sum * slack).squareRoot() * (1 + 0x1p-51))
  }
}

extension Float {
  /// The smallest Float that is not below `value`.
  init(roundingUp value: Double) {
    let nearest = Float(value)
    self = Double(nearest) < value ? nearest.nextUp : nearest
  }
}
