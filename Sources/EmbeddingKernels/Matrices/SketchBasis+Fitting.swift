extension SketchBasis {
  private static let iterationCount = 2

  /// Fits directions to sample rows, `width` - 1 of them or fewer where the sample spans fewer: the
  /// largest of its second moment, nearly, by subspace iteration (Halko, Martinsson and Tropp
  /// 2011).
  ///
  /// Five matrix products of the sample with that many rows.
  package init?(fitting sample: RowBlock, width: Int) {
    let (dimension, count) = (sample.dimension, sample.count)
    let transposed = Self.transposed(sample)
    defer { transposed.deallocate() }
    // Rows spread over the sample: they lie in the subspace already.
    let wanted = min(width - 1, count)
    var directions = (0..<wanted).flatMap { sample.vector(at: $0 * count / wanted) }
    Self.orthonormalize(&directions, dimension)
    for _ in 0..<Self.iterationCount {
      let directionCount = directions.count / dimension
      var seen = [Float](repeating: 0, count: directionCount * count)
      multiplyTransposed(
        left: directions, leftCount: directionCount, right: sample.floats, rightCount: count,
        depth: dimension, products: &seen, productStride: count)
      multiplyTransposed(
        left: seen, leftCount: directionCount, right: transposed, rightCount: dimension,
        depth: count, products: &directions, productStride: dimension)
      Self.orthonormalize(&directions, dimension)
    }
    self.init(directions: directions, dimension: dimension)
  }

  private static func transposed(_ sample: RowBlock) -> UnsafeMutablePointer<Float> {
    let columns = allocateAligned(sample.count * sample.dimension)
    for row in 0..<sample.count {
      for index in 0..<sample.dimension {
        columns[index * sample.count + row] = sample.floats[row * sample.dimension + index]
      }
    }
    return columns
  }

  /// Makes rows orthonormal, as far as Float32 goes, and drops those that the ones before them span:
  /// Gram and Schmidt, twice.
  private static func orthonormalize(_ rows: inout [Float], _ dimension: Int) {
    var kept: [[Double]] = []
    for start in stride(from: 0, to: rows.count, by: dimension) {
      var row = rows[start..<start + dimension].map { Double($0) }
      let length = norm(row)
      for _ in 0..<2 {
        for other in kept {
          let share = zip(row, other).reduce(0) { $0 + $1.0 * $1.1 }
          for index in row.indices { row[index] -= share * other[index] }
        }
      }
      let rest = norm(row)
      guard rest > 1e-4 * length else { continue }
      kept.append(row.map { $0 / rest })
    }
    rows = kept.flatMap { $0.map { Float($0) } }
  }

  private static func norm(_ vector: [Double]) -> Double {
    vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
  }
}
