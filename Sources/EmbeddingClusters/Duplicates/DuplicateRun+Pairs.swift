internal import EmbeddingStores

extension DuplicateRun {
  /// All pairs, whenever they were made.
  func pairs(_ rows: LiveRows) throws(StoreError) -> [RowPair] {
    let keys = try rows.keyNumbers()
    return try rows.pairs(
      atLeast: options.minimumScore, cancellation: cancellation, ofBlocks: { _, _ in true },
      where: { keys[$0] != keys[$1] })
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
