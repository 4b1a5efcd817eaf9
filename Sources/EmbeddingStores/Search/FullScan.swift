internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Synchronization

/// The search that reads every allowed row: the definition of what an exact search returns.
struct FullScan: Sendable {
  let plan: SearchPlan
  let cancellation: WorkCancellation

  /// The best candidates among `rows`, which a thread scans block by block.
  func candidates(
    in source: RowRanges, _ threshold: SharedThreshold
  ) throws(StorageError) -> TopCandidates {
    let scorer = BlockScorer(query: plan.query)
    var candidates = plan.makeCandidates()
    while let range = source.next() {
      try scan(range, scorer, &candidates, threshold)
    }
    return candidates
  }

  /// Scans one range of rows.
  func scan(
    _ range: Range<Int>, _ scorer: BlockScorer, _ candidates: inout TopCandidates,
    _ threshold: SharedThreshold
  ) throws(StorageError) {
    var start = range.lowerBound
    while start < range.upperBound {
      try cancellation.check()
      let end = min(range.upperBound, start + BlockScorer.blockRowCount)
      let block = plan.contents.contiguousRows(from: start, below: end)
      start = block.upperBound
      try scan(block: block, scorer, &candidates, threshold)
    }
  }

  private func scan(
    block: Range<Int>, _ scorer: BlockScorer, _ candidates: inout TopCandidates,
    _ threshold: SharedThreshold
  ) throws(StorageError) {
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
    try scorer.forEachCandidate(atLeast: limit(candidates, threshold)) {
      (position, score) throws(StorageError) -> Float in
      // A closure may take its time.
      if plan.predicate != nil { try cancellation.check() }
      let offset = indexes.map { Int($0[position]) } ?? position
      try plan.offer(block.lowerBound + offset, score, to: &candidates)
      return limit(candidates, threshold)
    }
    threshold.raise(to: candidates.threshold)
  }

  /// Rows with a lower score can not enter the result.
  func limit(_ candidates: TopCandidates, _ threshold: SharedThreshold) -> Float {
    plan.unclamped(max(plan.minimumScore, candidates.threshold, threshold.value))
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
