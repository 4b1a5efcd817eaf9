internal import EmbeddingStores

extension DuplicateRun {
  /// All pairs, whenever they were made, and the rows in the order that the pairs' positions mean.
  func pairs(_ rows: LiveRows) throws(StoreError) -> (LiveRows, [RowPair]) {
    if rows.count >= Self.clusteredRowCount, let found = try clusteredPairs(rows) { return found }
    let keys = try rows.keyNumbers()
    let pairs = try rows.pairs(
      atLeast: options.minimumScore, cancellation: cancellation, ofBlocks: { _, _ in true },
      where: { keys[$0] != keys[$1] })
    return (rows, pairs)
  }

  /// With fewer rows comparing all of them takes less time than clustering them.
  static let clusteredRowCount = 2_048

  /// Compares the rows of each cluster with each other, and those of two clusters that a bound can
  /// not keep apart; see `LiveRows.neighbours`. Nil when the bound keeps too few apart.
  private func clusteredPairs(_ rows: LiveRows) throws(StoreError) -> (LiveRows, [RowPair])? {
    let distance = rows.distance(forScore: options.minimumScore)
    // Random directions are about √2 apart: nothing would be kept apart.
    guard distance < 1 else { return nil }
    var generator = SplitMix(seed: 0)
    let count = Self.centroidCount(rows.count)
    let sample = rows.at(
      generator.sample(min(rows.count, Self.rowsPerCentroid * count), below: rows.count))
    let centroids = try KMeans(
      rows: sample, maximumIterationCount: Self.iterationCount, cancellation: cancellation,
      onIteration: { _, _ in }
    ).run(count: count, seed: 0).centroids
    let assignment = try rows.assignment(
      to: centroids, scoring: false, cancellation: cancellation)
    let groups = KMeans.groups(assignment.clusters, count: centroids.count / rows.dimension)
    let order = groups.flatMap { $0 }
    let ordered = rows.at(order)
    let neighbours = try ordered.neighbours(
      of: order.map { assignment.clusters[$0] }, centroids: centroids, distance: distance,
      share: Self.largestShare, cancellation: cancellation)
    guard let neighbours else { return nil }
    var clusters: [Range<Int>] = []
    for group in groups {
      let start = clusters.last?.upperBound ?? 0
      clusters.append(start..<start + group.count)
    }
    let keys = try ordered.keyNumbers()
    let pairs = try ordered.pairs(
      within: clusters, and: neighbours, atLeast: options.minimumScore,
      cancellation: cancellation, where: { keys[$0] != keys[$1] })
    return (ordered, pairs)
  }

  private static let rowsPerCentroid = 16
  private static let iterationCount = 4
  /// When more pairs of rows and centroids are left, all rows are compared at once.
  private static let largestShare = 0.5

  /// About as many as make the products with centroids cost what those among rows do.
  private static func centroidCount(_ rowCount: Int) -> Int {
    min(1_024, max(16, Int(1.5 * Double(rowCount).squareRoot())))
  }

  // MARK: - Bursts

  /// The rows that have a timestamp, in the order of time, and their times in milliseconds.
  func timeOrdered(_ rows: LiveRows) throws(StoreError) -> (LiveRows, [Int64]) {
    var stamped: [(time: Int64, position: Int)] = []
    for (position, time) in try rows.timestamps().enumerated() {
      if let time { stamped.append((time, position)) }
    }
    stamped.sort { $0 < $1 }
    return (rows.at(stamped.map(\.position)), stamped.map(\.time))
  }

  /// The pairs of rows, in the order of time, that are at most `window` apart.
  func burstPairs(
    _ rows: LiveRows, _ times: [Int64], _ window: Duration
  ) throws(StoreError) -> [RowPair] {
    let keys = try rows.keyNumbers()
    let limit = Self.milliseconds(window)
    @Sendable func isNear(_ first: Int, _ second: Int) -> Bool {
      let (apart, overflow) = times[second].subtractingReportingOverflow(times[first])
      return !overflow && apart <= limit
    }
    return try rows.pairs(
      atLeast: options.minimumScore, cancellation: cancellation,
      ofBlocks: { $0 == $1 || isNear($0.upperBound - 1, $1.lowerBound) },
      where: { isNear($0, $1) && keys[$0] != keys[$1] })
  }

  /// Whole milliseconds of a duration that is not negative, rounded down, as timestamps are kept.
  private static func milliseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    let (sum, carry) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return overflow || carry ? .max : sum
  }
}
