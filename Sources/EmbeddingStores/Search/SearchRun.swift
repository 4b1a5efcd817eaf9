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
    var results = [[Match]?](repeating: nil, count: plans.count)
    let layouts = plans.map(Cascade.layout)
    let coded = plans.indices.filter { layouts[$0] != nil }
    for start in stride(from: 0, to: coded.count, by: CascadeRun.maximumQueryCount) {
      let group = coded[start..<min(start + CascadeRun.maximumQueryCount, coded.count)]
      guard let layout = layouts[group[start]] else { continue }
      let found = try cascaded(group.map { plans[$0] }, layout)
      for (index, matches) in zip(group, found) { results[index] = matches }
    }
    let others = results.indices.filter { results[$0] == nil }
    for (index, matches) in zip(others, try scanned(others.map { plans[$0] })) {
      results[index] = matches
    }
    return results.map { $0 ?? [] }
  }

  private func cascaded(
    _ plans: [SearchPlan], _ layout: CodeLayout
  ) throws(StorageError) -> [[Match]?] {
    let byteCount = plans.count * layout.byteCount(ofStage: 0) * snapshot.contents.rowCount
    let threadCount = snapshot.threads.count(forBytes: byteCount)
    let run = CascadeRun(
      plans, layout, on: snapshot, cancellation: cancellation, threadCount: threadCount)
    try Parallel.run(threadCount: threadCount) { () throws(StorageError) in
      let work = try run.visit()
      meter?.add(work)
    }
    return try run.matches()
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
    let allowedCount = plan.allowed?.count ?? contents.rowCount
    if let meter {
      var work = SearchWork()
      work.scoredRowCount = allowedCount
      work.scoredByteCount = allowedCount * contents.stride
      meter.add(work)
    }
    let threadCount = snapshot.threads.count(forBytes: allowedCount * contents.stride)
    try Parallel.run(threadCount: threadCount) { () throws(StorageError) in
      try scan.scan(source)
    }
    return try scan.matches()
  }

  private func matrixMatches(_ plans: [SearchPlan]) throws(StorageError) -> [[Match]] {
    let contents = snapshot.contents
    let scans = plans.map { FullScan(plan: $0, cancellation: cancellation) }
    let matrix = MatrixScan(scans: scans, contents: contents, cancellation: cancellation)
    let source = RowRanges(to: contents.rowCount)
    let threadCount = snapshot.threads.count(forBytes: contents.rowCount * contents.stride)
    try Parallel.run(threadCount: threadCount) { () throws(StorageError) in
      try matrix.scan(source)
    }
    var matches: [[Match]] = []
    for scan in scans { matches.append(try scan.matches()) }
    return matches
  }
}

extension SearchPlan {
  /// Whether scoring all rows costs little more than scoring those that this plan allows.
  fileprivate var sharesBlocks: Bool {
    guard let allowed else { return true }
    return allowed.count * 4 >= contents.rowCount
  }
}
