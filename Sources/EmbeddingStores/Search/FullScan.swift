internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Synchronization

/// The search that reads every allowed row: the definition of what an exact search returns.
struct FullScan: Sendable {
  let plan: SearchPlan
  let cancellation: WorkCancellation
  let found: SharedCandidates

  init(plan: SearchPlan, cancellation: WorkCancellation) {
    self.plan = plan
    self.cancellation = cancellation
    found = plan.makeCandidates()
  }

  /// Rows with a lower score can not enter the result.
  var limit: Float { limit(found.threshold) }

  private func limit(_ threshold: Float) -> Float {
    plan.unclamped(max(plan.minimumScore, threshold))
  }

  /// Scans the rows of `source` that no other thread takes.
  func scan(_ source: RowRanges) throws(StorageError) {
    let scorer = BlockScorer(query: plan.query)
    while let range = source.next() {
      try scan(range, scorer)
    }
  }

  /// Scans one range of rows.
  func scan(_ range: Range<Int>, _ scorer: BlockScorer) throws(StorageError) {
    var start = range.lowerBound
    while start < range.upperBound {
      try cancellation.check()
      let end = min(range.upperBound, start + BlockScorer.blockRowCount)
      let block = plan.contents.contiguousRows(from: start, below: end)
      start = block.upperBound
      try scan(block: block, scorer)
    }
  }

  private func scan(block: Range<Int>, _ scorer: BlockScorer) throws(StorageError) {
    var indexes: ContiguousArray<UInt32>?
    if let allowed = plan.allowed {
      let count = allowed.count(in: block)
      if count == 0 { return }
      // Below this share it pays to fetch rows one by one instead of reading all.
      if count * 4 < block.count {
        var list = ContiguousArray<UInt32>()
        list.reserveCapacity(count)
        allowed.forEach(in: block) { row in
          list.append(UInt32(truncatingIfNeeded: row - block.lowerBound))
        }
        indexes = list
      }
    }
    let stride = plan.contents.stride
    try plan.contents.withRows(block) { (rows) throws(StorageError) in
      if let indexes {
        scorer.score(rows, stride: stride, at: indexes.span)
      } else {
        scorer.score(rows, stride: stride, count: block.count)
      }
    }
    try offerScored(by: scorer) { position in
      block.lowerBound + (indexes.map { Int($0[position]) } ?? position)
    }
  }

  /// The result, once every thread is done.
  func matches() throws(StorageError) -> [Match] { try plan.matches(best: found.sorted()) }

  // MARK: - Offering

  /// Offers what was scored last; `row` says which one a position is, nil when it is not to be
  /// offered.
  func offerScored(
    by scorer: BlockScorer, _ row: (_ position: Int) -> Int?
  ) throws(StorageError) {
    guard plan.predicate == nil else {
      return try scorer.forEachCandidate(atLeast: limit) {
        (position, score) throws(StorageError) -> Float in
        if let row = row(position) { try offer(row, score) }
        return limit
      }
    }
    // All at once: to ask for the candidates takes longer than most rows.
    try found.withLock { (candidates) throws(StorageError) in
      try scorer.forEachCandidate(atLeast: limit(candidates.threshold)) {
        (position, score) throws(StorageError) -> Float in
        if let row = row(position), let candidate = try plan.candidate(row, score) {
          candidates.insert(candidate)
        }
        return limit(candidates.threshold)
      }
    }
  }

  /// Puts a scored row among the candidates if it belongs there and may. A closure is asked while
  /// other threads go on.
  func offer(_ row: Int, _ score: Float) throws(StorageError) {
    guard let candidate = try plan.candidate(row, score), found.admits(candidate) else { return }
    if plan.predicate != nil {
      // It may take its time.
      try cancellation.check()
      guard try plan.isAdmitted(row) else { return }
    }
    try found.withLock { $0.insert(candidate) }
  }
}

/// Runs of rows, or of chunks, handed out to threads, each once.
final class RowRanges: Sendable {
  /// Large enough to be read as a stream, small enough that threads end together.
  private static let rowCount = 2 * BlockScorer.blockRowCount

  private let end: Int
  private let count: Int
  private let nextStart: Atomic<Int>

  init(from start: Int = 0, to end: Int, count: Int = RowRanges.rowCount) {
    self.end = end
    self.count = count
    nextStart = Atomic(start)
  }

  func next() -> Range<Int>? {
    let start = nextStart.add(count, ordering: .relaxed).oldValue
    guard start < end else { return nil }
    return start..<min(start + count, end)
  }
}
