internal import EmbeddingFiles
internal import EmbeddingKernels

/// The full scan for many queries at once: one matrix product per block, so that every block is
/// read and widened once for all of them.
///
/// The product's scores only choose candidates, with a margin for their rounding; what is kept was
/// scored by the same kernel as in `FullScan`, so the results are the same bit for bit.
struct MatrixScan: Sendable {
  /// Fewer queries than this are faster one by one.
  static let minimumQueryCount = 4
  /// More queries than this are split, to bound the memory: 4 KiB of scores a query.
  static let maximumQueryCount = 256

  /// Plans for one snapshot.
  let plans: [SearchPlan]
  let contents: Contents
  let cancellation: WorkCancellation

  /// Candidates of each plan among the rows that a thread scans.
  func candidates(
    in source: RowRanges, _ thresholds: [SharedThreshold]
  ) throws(StorageError) -> [[Candidate]] {
    let matrix = MatrixScorer(queries: plans.map(\.query))
    var worker = Worker(
      scorers: plans.map { BlockScorer(query: $0.query) },
      candidates: plans.map { $0.makeCandidates() },
      margins: plans.indices.map {
        matrix.errorBound(query: $0, rowLength: contents.maximumRowLength)
      })
    while let range = source.next() {
      var start = range.lowerBound
      while start < range.upperBound {
        try cancellation.check()
        let end = min(range.upperBound, start + MatrixScorer.blockRowCount)
        let block = contents.contiguousRows(from: start, below: end)
        start = block.upperBound
        try scan(block, matrix, &worker, thresholds)
      }
    }
    return worker.candidates.map { $0.sorted() }
  }

  private struct Worker {
    let scorers: [BlockScorer]
    var candidates: [TopCandidates]
    let margins: [Float]
  }

  private func scan(
    _ block: Range<Int>, _ matrix: MatrixScorer, _ worker: inout Worker,
    _ thresholds: [SharedThreshold]
  ) throws(StorageError) {
    let stride = contents.stride
    try contents.withRows(block) { (rows) throws(StorageError) in
      matrix.score(rows, stride: stride, count: block.count)
      for (query, plan) in plans.enumerated() {
        let scorer = worker.scorers[query]
        let margin = worker.margins[query]
        var candidates = worker.candidates[query]
        func limit() -> Float {
          let threshold = max(
            plan.minimumScore, candidates.threshold, thresholds[query].value)
          // Rounded down, so that the margin is not cut short.
          return (plan.unclamped(threshold) - margin).nextDown
        }
        try matrix.forEachCandidate(query: query, atLeast: limit()) {
          (position, _) throws(StorageError) -> Float in
          let start = position * stride
          scorer.score(rows.extracting(start..<start + stride), stride: stride, count: 1)
          try plan.offer(block.lowerBound + position, scorer[0], to: &candidates)
          return limit()
        }
        thresholds[query].raise(to: candidates.threshold)
        worker.candidates[query] = candidates
      }
    }
  }
}
