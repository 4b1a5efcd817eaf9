import CEmbeddingKernels

extension CodeBasis {
  /// Rows that a fit looks at; more make no difference.
  package static let sampleRowCount = 16_384
  private static let mixedCount = 64

  /// Fits a basis to sample rows of halves, `stride` bytes apart; nil without LAPACK, and for rows
  /// with components that are not finite.
  ///
  /// u is the direction of the mean. T is made of the eigenvectors of the rest's covariance,
  /// largest first, each 64 of which are then mixed by a Hadamard matrix with random signs, so that
  /// the components among them are alike and one scale fits all. Any basis gives exact results; how
  /// well it fits decides only how much can be skipped.
  ///
  /// - Parameter sample: Goes through the rows, some at a time. Is called twice.
  /// - Complexity: O(d³ + count·d²); memory for about three d x d matrices of doubles.
  package init?<Failure: Error>(
    _ layout: CodeLayout, stride: Int, kernels: Kernels = .current,
    fittedTo sample: (_ visit: (_ rows: RawSpan, _ count: Int) -> Void) throws(Failure) -> Void
  ) throws(Failure) {
    let blocks = WidenedBlocks(
      stride: stride, dimension: layout.dimension, rowCount: SampleCovariance.blockRowCount,
      kernels: kernels)
    var mean = SampleMean(dimension: layout.dimension)
    try sample { rows, count in blocks.forEach(of: rows, count) { mean.add($0, $1) } }
    let covariance = SampleCovariance(around: mean.direction)
    try sample { rows, count in blocks.forEach(of: rows, count) { covariance.add($0, $1) } }
    self.init(layout, direction: mean.direction, covariance: covariance.makeMatrix())
  }

  private init?(_ layout: CodeLayout, direction: [Float], covariance: LargeBuffer<Double>) {
    defer { withExtendedLifetime(covariance) {} }
    let dimension = layout.dimension
    guard let values = replaceByEigenvectors(covariance, dimension: dimension) else { return nil }
    // Ascending: the last are the largest.
    let rows = (0..<layout.rotatedCount).map { index in
      covariance.base + (dimension - 1 - index) * dimension
    }
    let variances = values.reversed().map { max($0, 0) }
    let largest = max(variances.first?.squareRoot() ?? 0, 1e-20)
    var units = [Float](repeating: Float(largest), count: layout.unitCount)
    for mixed in Self.mixedRanges(layout.rotatedCount) {
      Self.mix(rows[mixed], dimension)
      let mean = variances[mixed].reduce(0, +) / Double(mixed.count)
      for unit in mixed.lowerBound / CodeLayout.unitWidth...(mixed.upperBound - 1)
        / CodeLayout.unitWidth
      {
        units[unit] = Float(max(mean.squareRoot(), 1e-4 * largest))
      }
    }
    self.init(
      layout, units: units, direction: direction,
      rotation: [Float](unsafeUninitializedCapacity: rows.count * dimension) { floats, count in
        for (index, row) in rows.enumerated() {
          for column in 0..<dimension { floats[index * dimension + column] = Float(row[column]) }
        }
        count = rows.count * dimension
      })
    guard defect < Self.largestDefect, (units + direction).allSatisfy(\.isFinite) else {
      return nil
    }
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

  /// Replaces rows by H·S·rows: H a normalised Hadamard matrix, S random signs.
  private static func mix(_ rows: ArraySlice<UnsafeMutablePointer<Double>>, _ columns: Int) {
    // SplitMix64, always the same signs.
    var state = UInt64(rows.startIndex)
    let factor = 1 / Double(rows.count).squareRoot()
    for row in rows {
      state &+= 0x9e37_79b9_7f4a_7c15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
      bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
      let sign = (bits ^ (bits >> 31)) & 1 == 0 ? factor : -factor
      for column in 0..<columns { row[column] *= sign }
    }
    var step = 1
    while step < rows.count {
      for index in 0..<rows.count where index & step == 0 {
        let first = rows[rows.startIndex + index]
        let second = rows[rows.startIndex + index + step]
        for column in 0..<columns {
          (first[column], second[column]) =
            (first[column] + second[column], first[column] - second[column])
        }
      }
      step *= 2
    }
  }
}
