internal import EmbeddingFiles
internal import EmbeddingKernels

/// Carries out planned searches on one snapshot, on as many threads as pay.
struct SearchRun: Sendable {
  let snapshot: Snapshot
  let cancellation: SearchCancellation

  func matches(for plan: SearchPlan) throws(StorageError) -> [Match] {
    let contents = plan.contents
    let scan = FullScan(plan: plan, cancellation: cancellation)
    let source = RowRanges(end: contents.rowCount)
    let threshold = SharedThreshold()
    let allowedCount = plan.allowed?.count ?? contents.rowCount
    let threadCount = Parallel.threadCount(
      configured: snapshot.searchThreadCount, byteCount: allowedCount * contents.stride)
    let parts = try Parallel.run(threadCount: threadCount) { () throws(StorageError) in
      try scan.candidates(in: source, threshold).sorted()
    }
    return try plan.matches(merging: parts)
  }

  func matches(for plans: [SearchPlan]) throws(StorageError) -> [[Match]] {
    let shared = plans.indices.filter { plans[$0].sharesBlocks }
    var results = [[Match]](repeating: [], count: plans.count)
    var alone = Set(plans.indices)
    if shared.count >= MatrixScan.minimumQueryCount {
      alone.subtract(shared)
      for start in stride(from: 0, to: shared.count, by: MatrixScan.maximumQueryCount) {
        let group = shared[start..<min(start + MatrixScan.maximumQueryCount, shared.count)]
        let found = try matrixMatches(group.map { plans[$0] })
        for (index, matches) in zip(group, found) {
          results[index] = matches
        }
      }
    }
    for index in alone {
      results[index] = try matches(for: plans[index])
    }
    return results
  }

  private func matrixMatches(_ plans: [SearchPlan]) throws(StorageError) -> [[Match]] {
    let contents = snapshot.contents
    let scan = MatrixScan(plans: plans, contents: contents, cancellation: cancellation)
    let source = RowRanges(end: contents.rowCount)
    let thresholds = plans.map { _ in SharedThreshold() }
    let threadCount = Parallel.threadCount(
      configured: snapshot.searchThreadCount, byteCount: contents.rowCount * contents.stride)
    let parts = try Parallel.run(threadCount: threadCount) { () throws(StorageError) in
      try scan.candidates(in: source, thresholds)
    }
    var results: [[Match]] = []
    for (index, plan) in plans.enumerated() {
      results.append(try plan.matches(merging: parts.map { $0[index] }))
    }
    return results
  }
}

extension SearchPlan {
  /// Whether scoring all rows costs little more than scoring those that this plan allows.
  fileprivate var sharesBlocks: Bool {
    guard let allowed else { return true }
    return allowed.count * 4 >= contents.rowCount
  }

  /// The matches among what several threads kept. Rows were asked about once already.
  fileprivate func matches(merging parts: [[Candidate]]) throws(StorageError) -> [Match] {
    var merged = makeCandidates()
    for candidate in parts.joined() {
      merged.insert(candidate)
    }
    return try matches(merged)
  }
}
