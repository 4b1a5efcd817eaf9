internal import EmbeddingStores

/// One look for near-duplicates in one snapshot.
struct DuplicateRun {
  let snapshot: Snapshot
  let options: DuplicateOptions
  let cancellation: WorkCancellation

  static let cancelledMessage = "Looking for near-duplicates was cancelled."

  func groups(
    _ prefers: (RowIdentity, RowIdentity) -> Bool
  ) throws(StoreError) -> [DuplicateGroup] {
    try check()
    try cancellation.checkTask()
    let all = LiveRows(snapshot)
    if let window = options.timeWindow {
      let (rows, times) = try timeOrdered(all)
      return try groups(rows, try burstPairs(rows, times, window), prefers)
    }
    return try groups(all, try pairs(all), prefers)
  }

  private func check() throws(StoreError) {
    let score = options.minimumScore
    guard score.isFinite else {
      throw StoreError(.invalidArgument, "The minimum score of near-duplicates is not finite.")
    }
    if snapshot.space.normalization == .unitLength, !(-1...1).contains(score) {
      throw StoreError(
        .invalidArgument,
        "Scores of this space are from -1 to 1, and the minimum score of near-duplicates is "
          + "\(score).")
    }
    if let window = options.timeWindow, window < .zero {
      throw StoreError(.invalidArgument, "The time window of near-duplicates is negative.")
    }
  }

  // MARK: - Groups of pairs

  private func groups(
    _ rows: LiveRows, _ pairs: [RowPair], _ prefers: (RowIdentity, RowIdentity) -> Bool
  ) throws(StoreError) -> [DuplicateGroup] {
    var sets = UnionFind(count: rows.count)
    for pair in pairs { sets.join(pair.first, pair.second) }
    var scores: [Int: ClosedRange<Float>] = [:]
    for pair in pairs {
      let root = sets.root(of: pair.first)
      let score = rows.clamped(pair.score)
      let range = scores[root] ?? score...score
      scores[root] = min(range.lowerBound, score)...max(range.upperBound, score)
    }
    let connected = Set(pairs.flatMap { [$0.first, $0.second] }).sorted()
    var members: [Int: [RowIdentity]] = [:]
    for (position, identity) in zip(connected, try rows.at(connected).identities()) {
      members[sets.root(of: position), default: []]
        .append(RowIdentity(key: identity.key, part: identity.part))
    }
    var groups: [DuplicateGroup] = []
    for (root, range) in scores {
      let sorted = (members[root] ?? []).sorted()
      guard var keeper = sorted.first else { continue }
      for member in sorted where prefers(member, keeper) { keeper = member }
      groups.append(DuplicateGroup(members: sorted, keeper: keeper, scores: range))
    }
    return groups.sorted { $0.members[0] < $1.members[0] }
  }
}
