import CEmbeddingKernels

extension CodeBasis {
  /// Rows that a fit looks at; more make no difference.
  package static let sampleRowCount = 16_384
  private static let mixedCount = 64
  private static let blockRowCount = 256

  /// Fits a basis to `count` sample rows of halves, `stride` bytes apart; nil without LAPACK, and for
  /// rows with components that are not finite.
  ///
  /// u is the direction of the mean. T is made of the eigenvectors of the rest's covariance,
  /// largest first, each 64 of which are then mixed by a Hadamard matrix with random signs, so that
  /// the components among them are alike and one scale fits all. Any basis gives exact results; how
  /// well it fits decides only how much can be skipped.
  ///
  /// - Complexity: O(d³ + count·d²); memory for about three d x d matrices of doubles.
  package init?(
    fitting rows: RawSpan, stride: Int, count: Int, _ layout: CodeLayout,
    kernels: Kernels = .current
  ) {
    rows.checkRows(stride: stride, count: count, dimension: layout.dimension)
    let basis = rows.withUnsafeBytes { bytes in
      CodeBasis(
        fitting: WidenedBlocks(
          bytes, stride: stride, count: count, dimension: layout.dimension,
          blockRowCount: Self.blockRowCount, kernels: kernels),
        layout)
    }
    guard let basis else { return nil }
    self = basis
  }

  private init?(fitting sample: WidenedBlocks, _ layout: CodeLayout) {
    let dimension = layout.dimension
    let direction = Self.meanDirection(sample)
    guard
      let (vectors, values) = eigenvectors(
        ofSymmetric: Self.covariance(sample, direction), dimension: dimension)
    else { return nil }
    // Ascending: the last are the largest.
    var rotation = (0..<layout.rotatedCount).flatMap { index in
      let start = (dimension - 1 - index) * dimension
      return vectors[start..<start + dimension]
    }
    let variances = values.reversed().map { max($0, 0) }
    let largest = max(variances.first?.squareRoot() ?? 0, 1e-20)
    var units = [Float](repeating: Float(largest), count: layout.unitCount)
    for mixed in Self.mixedRanges(layout.rotatedCount) {
      Self.mix(&rotation, mixed, dimension)
      let mean = variances[mixed].reduce(0, +) / Double(mixed.count)
      for unit in mixed.lowerBound / CodeLayout.unitWidth...(mixed.upperBound - 1)
        / CodeLayout.unitWidth
      {
        units[unit] = Float(max(mean.squareRoot(), 1e-4 * largest))
      }
    }
    self.init(
      layout, units: units, direction: direction, rotation: rotation.map { Float($0) })
    guard defect < Self.largestDefect, (units + direction).allSatisfy(\.isFinite) else {
      return nil
    }
  }

  private static func meanDirection(_ sample: WidenedBlocks) -> [Float] {
    var sums = [Double](repeating: 0, count: sample.dimension)
    sample.forEachBlock { rows, count in
      for row in 0..<count {
        for index in sums.indices { sums[index] += Double(rows[row * sums.count + index]) }
      }
    }
    let length = sums.reduce(0) { $0 + $1 * $1 }.squareRoot()
    // Rows that point every which way have no common direction; then nothing is taken off.
    guard length > 1e-6 * Double(max(sample.count, 1)) else {
      return [Float](repeating: 0, count: sums.count)
    }
    return sums.map { Float($0 / length) }
  }

  /// The mean of r·rᵀ over the rows r that are left of the sample's without their share of u.
  private static func covariance(_ sample: WidenedBlocks, _ direction: [Float]) -> [Double] {
    let dimension = sample.dimension
    let transposed = UnsafeMutablePointer<Float>.allocate(capacity: dimension * blockRowCount)
    let sums = UnsafeMutablePointer<Float>.allocate(capacity: dimension * dimension)
    sums.initialize(repeating: 0, count: dimension * dimension)
    defer {
      transposed.deallocate()
      sums.deallocate()
    }
    sample.forEachBlock { rows, count in
      for row in 0..<count {
        let row = (rows + row * dimension, row)
        let share = Float(ek_dot_f32_f64(row.0, direction, dimension))
        for index in 0..<dimension {
          transposed[index * count + row.1] = row.0[index] - share * direction[index]
        }
      }
      multiplyTransposed(
        left: transposed, leftCount: dimension, right: transposed, rightCount: dimension,
        depth: count, adding: true, products: sums, productStride: dimension)
    }
    return (0..<dimension * dimension).map { Double(sums[$0]) / Double(max(sample.count, 1)) }
  }

  /// Runs of up to 64 components, each a power of two.
  private static func mixedRanges(_ count: Int) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    while start < count {
      var width = mixedCount
      while width > count - start { width /= 2 }
      ranges.append(start..<start + width)
      start += width
    }
    return ranges
  }

  /// Replaces rows of a matrix by H·S·rows: H a normalised Hadamard matrix, S random signs.
  private static func mix(_ matrix: inout [Double], _ rows: Range<Int>, _ columns: Int) {
    // SplitMix64, always the same signs.
    var state = UInt64(rows.lowerBound)
    let factor = 1 / Double(rows.count).squareRoot()
    for row in rows {
      state &+= 0x9e37_79b9_7f4a_7c15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
      bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
      let sign = (bits ^ (bits >> 31)) & 1 == 0 ? factor : -factor
      for column in 0..<columns { matrix[row * columns + column] *= sign }
    }
    var step = 1
    while step < rows.count {
      for index in 0..<rows.count where index & step == 0 {
        let (first, second) = (rows.lowerBound + index, rows.lowerBound + index + step)
        for column in 0..<columns {
          let (a, b) = (matrix[first * columns + column], matrix[second * columns + column])
          matrix[first * columns + column] = a + b
          matrix[second * columns + column] = a - b
        }
      }
      step *= 2
    }
  }
}
