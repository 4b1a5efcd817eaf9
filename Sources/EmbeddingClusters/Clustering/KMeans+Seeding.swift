internal import EmbeddingStores

extension KMeans {
  /// The first centroids: k-means++ (Arthur and Vassilvitskii 2007) on a sample of rows.
  ///
  /// A row is drawn with a chance in proportion to what its best score so far falls short of its
  /// length, which for rows of length 1 is half the squared distance. Fewer than `count` come back
  /// when no other direction is left in the sample, which then is all rows.
  func seeds(_ count: Int, using generator: inout SplitMix) throws(StoreError) -> [Float] {
    let size = max(Self.smallestSample, count * Self.sampleRowsPerCluster)
    let positions = generator.sample(min(size, rows.count), below: rows.count)
    let sample = try RowSample(rows.at(positions))
    let seeds = try spreadPositions(count, in: sample, using: &generator)
    if seeds.count < count, positions.count < rows.count {
      // So few directions that a sample may have missed some.
      let all = try RowSample(rows)
      let seeds = try spreadPositions(count, in: all, using: &generator)
      return seeds.flatMap { Self.unit(all.vector(at: $0)) }
    }
    return seeds.flatMap { Self.unit(sample.vector(at: $0)) }
  }

  private static let smallestSample = 4_096
  private static let sampleRowsPerCluster = 32

  private func spreadPositions(
    _ count: Int, in sample: RowSample, using generator: inout SplitMix
  ) throws(StoreError) -> [Int] {
    let lengths = sample.squaredLengths.map { Double($0).squareRoot() }
    var gaps = [Double](repeating: .infinity, count: sample.count)
    var seeds: [Int] = []
    var next: Int? = generator.next(below: sample.count)
    while let seed = next {
      if seeds.count.isMultiple(of: 16) { try cancellation.checkTask() }
      seeds.append(seed)
      let scores = sample.scores(withRowAt: seed)
      for (position, score) in scores.enumerated() {
        let scaled = lengths[seed] > 0 ? Double(score) / lengths[seed] : 0
        gaps[position] = min(gaps[position], Self.gap(scaled, length: lengths[position]))
      }
      next = seeds.count < count ? Self.draw(gaps, using: &generator) : nil
    }
    return seeds
  }

  /// What a score falls short of a row's length; 0 where the two directions are the same as far as
  /// stored rows can tell.
  static func gap(_ score: Double, length: Double) -> Double {
    let gap = length - score
    return gap > Self.sameDirection * length ? gap : 0
  }

  /// Rounding to Float16 turns a row further than this.
  private static let sameDirection = 1e-6

  /// A position with a chance in proportion to its gap; nil when all are 0.
  private static func draw(_ gaps: [Double], using generator: inout SplitMix) -> Int? {
    let total = gaps.reduce(0, +)
    guard total > 0 else { return nil }
    var rest = generator.nextUnit() * total
    for (position, gap) in gaps.enumerated() where gap > 0 {
      rest -= gap
      if rest < 0 { return position }
    }
    return gaps.lastIndex { $0 > 0 }
  }

  private static func unit(_ vector: [Float]) -> [Float] {
    direction(vector.lazy.map(Double.init)) ?? vector
  }
}
