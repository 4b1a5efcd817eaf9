internal import EmbeddingStores

extension KMeans {
  /// Above this many clusters every row is compared with few of them in each iteration.
  static let largestFlatCount = 1_024

  /// Clusters in two levels: about √count clusters first, then each of them by its share of the rows,
  /// and at the end every row goes to the nearest of all centroids.
  ///
  /// An iteration costs √count instead of count dot products a row.
  func runHierarchy(
    count: Int, seed: UInt64, onPart: (_ completed: Int, _ total: Int) -> Void
  ) throws(StoreError) -> Outcome {
    let coarseCount = Int(Double(count).squareRoot().rounded(.up))
    let coarse = try run(count: coarseCount, seed: seed)
    let groups = Self.groups(
      coarse.assignment.clusters, count: coarse.centroids.count / dimension)
    let shares = Self.shares(of: count, among: groups.map(\.count))
    var generator = SplitMix(seed: seed)
    var centroids: [Float] = []
    for (index, (group, share)) in zip(groups, shares).enumerated() {
      let part = KMeans(
        rows: rows.at(group), maximumIterationCount: maximumIterationCount,
        cancellation: cancellation, onIteration: { _, _ in })
      centroids += try part.run(count: share, seed: generator.next()).centroids
      onPart(index + 1, groups.count)
    }
    var result = try settled(centroids)
    result.iterationCount = coarse.iterationCount
    return result
  }

  /// Shares of a count in proportion to sizes, at least 1 and at most the size each, the largest
  /// remainders rounded up.
  static func shares(of count: Int, among sizes: [Int]) -> [Int] {
    let total = Double(max(1, sizes.reduce(0, +)))
    let ideal = sizes.map { Double(count) * Double($0) / total }
    var shares = zip(ideal, sizes).map { min($1, max(1, Int($0))) }
    let order = ideal.indices.sorted {
      let (first, second) = (ideal[$0] - Double(shares[$0]), ideal[$1] - Double(shares[$1]))
      return first != second ? first > second : $0 < $1
    }
    var missing = min(count, sizes.reduce(0, +)) - shares.reduce(0, +)
    while missing > 0 {
      for index in order where missing > 0 && shares[index] < sizes[index] {
        shares[index] += 1
        missing -= 1
      }
    }
    return shares
  }
}
