internal import EmbeddingFiles
internal import EmbeddingKernels

/// Carries out planned searches on one snapshot, on as many threads as pay.
struct SearchRun: Sendable {
  let snapshot: Snapshot
  let cancellation: WorkCancellation

  /// Counts what searches read, where somebody wants to know.
  var meter: SearchMeter?

  func matches(for plan: SearchPlan) throws(StorageError) -> [Match] {
    try matches(for: [plan])[0]
  }

  /// The matches of each plan.
  func matches(for plans: [SearchPlan]) throws(StorageError) -> [[Match]] {
    guard snapshot.contents.main.codeState == .present else { return try scanned(plans) }
    do throws(StorageError) {
      return try cascaded(plans)
    } catch {
      guard error.code == .corrupt else { throw error }
      // Without the codes, of which there is no need. When that works, it was they.
      let matches = try scanned(plans)
      snapshot.contents.main.giveUpCodes()
      return matches
    }
  }

  // MARK: - By codes

  private func cascaded(_ plans: [SearchPlan]) throws(StorageError) -> [[Match]] {
    var results = [[Match]](repeating: [], count: plans.count)
    var (coded, others): ([(Int, Cascade)], [Int]) = ([], [])
    for (index, plan) in plans.enumerated() {
      if let cascade = try Cascade(plan: plan, cancellation: cancellation) {
        coded.append((index, cascade))
      } else {
        others.append(index)
      }
    }
    for start in stride(from: 0, to: coded.count, by: CascadeRun.maximumQueryCount) {
      let group = coded[start..<min(start + CascadeRun.maximumQueryCount, coded.count)]
      let found = try cascaded(group.map(\.1), group.map { plans[$0.0] })
      for ((index, _), matches) in zip(group, found) { results[index] = matches }
    }
    for (index, matches) in zip(others, try scanned(others.map { plans[$0] })) {
      results[index] = matches
    }
    return results
  }

  private func cascaded(
    _ cascades: [Cascade], _ plans: [SearchPlan]
  ) throws(StorageError) -> [[Match]] {
    let contents = snapshot.contents
    let run = CascadeRun(cascades: cascades, scratch: snapshot.scratch)
    let source = CascadeRun.Source(contents)
    let byteCount = cascades.reduce(0) {
      $0 + $1.codes.layout.byteCount(ofStage: 0) * contents.rowCount
    }
    let threadCount = snapshot.threads.count(forBytes: byteCount)
    let thresholds = plans.map { plan in
      // Two threads may find parts of one key, which fill one place.
      plan.isGrouped
        ? SharedThreshold() : SharedThreshold(threadCount: threadCount, capacity: plan.capacity)
    }
    let parts = try Parallel.run(threadCount: threadCount) { () throws(StorageError) in
      try run.candidates(in: source, thresholds)
    }
    if let meter {
      var work = parts.reduce(into: SearchWork()) { $0.add($1.1) }
      work.basisByteCount = cascades.reduce(0) { $0 + $1.codes.readByteCount }
      meter.add(work)
    }
    return try merge(parts.map(\.0), plans)
  }

  // MARK: - By scanning every row

  private func scanned(_ plans: [SearchPlan]) throws(StorageError) -> [[Match]] {
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
      results[index] = try scanned(plans[index])
    }
    return results
  }

  private func scanned(_ plan: SearchPlan) throws(StorageError) -> [Match] {
    let contents = plan.contents
    let scan = FullScan(plan: plan, cancellation: cancellation)
    let source = RowRanges(to: contents.rowCount)
    let threshold = SharedThreshold()
    let allowedCount = plan.allowed?.count ?? contents.rowCount
    if let meter {
      var work = SearchWork()
      work.scoredRowCount = allowedCount
      work.scoredByteCount = allowedCount * contents.stride
      meter.add(work)
    }
    let threadCount = snapshot.threads.count(forBytes: allowedCount * contents.stride)
    let parts = try Parallel.run(threadCount: threadCount) { () throws(StorageError) in
      try scan.candidates(in: source, threshold).sorted()
    }
    return try plan.matches(merging: parts)
  }

  private func matrixMatches(_ plans: [SearchPlan]) throws(StorageError) -> [[Match]] {
    let contents = snapshot.contents
    let scan = MatrixScan(plans: plans, contents: contents, cancellation: cancellation)
    let source = RowRanges(to: contents.rowCount)
    let thresholds = plans.map { _ in SharedThreshold() }
    let threadCount = snapshot.threads.count(forBytes: contents.rowCount * contents.stride)
    let parts = try Parallel.run(threadCount: threadCount) { () throws(StorageError) in
      try scan.candidates(in: source, thresholds)
    }
    return try merge(parts, plans)
  }

  /// The matches of each plan among what several threads found for it.
  private func merge(
    _ parts: [[[Candidate]]], _ plans: [SearchPlan]
  ) throws(StorageError) -> [[Match]] {
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

  /// The matches among what threads kept, each best first. Rows were asked about once already.
  fileprivate func matches(merging parts: [[Candidate]]) throws(StorageError) -> [Match] {
    if parts.count == 1 { return try matches(best: parts[0]) }
    var merged = makeCandidates()
    for candidate in parts.joined() {
      merged.insert(candidate)
    }
    return try matches(best: merged.sorted())
  }
}
