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

  /// Of one snapshot.
  let scans: [FullScan]
  let contents: Contents
  let cancellation: WorkCancellation

  /// Scans the rows of `source` that no other thread takes.
  func scan(_ source: RowRanges) throws(StorageError) {
    let matrix = MatrixScorer(queries: scans.map(\.plan.query))
    let scorers = scans.enumerated().map { query, scan in
      Scorer(
        scan: scan, exact: BlockScorer(query: scan.plan.query),
        margin: matrix.errorBound(query: query, rowLength: contents.maximumRowLength))
    }
    while let range = source.next() {
      var start = range.lowerBound
      while start < range.upperBound {
        try cancellation.check()
        let end = min(range.upperBound, start + MatrixScorer.blockRowCount)
        let block = contents.contiguousRows(from: start, below: end)
        start = block.upperBound
        try scan(block, matrix, scorers)
      }
    }
  }

  /// One query's, on one thread.
  private struct Scorer {
    let scan: FullScan
    let exact: BlockScorer
    /// What a product of the matrix differs from K at most.
    let margin: Float

    /// Rounded down, so that the margin is not cut short.
    var limit: Float { (scan.limit - margin).nextDown }
  }

  private func scan(
    _ block: Range<Int>, _ matrix: MatrixScorer, _ scorers: [Scorer]
  ) throws(StorageError) {
    let stride = contents.stride
    try contents.withRows(block) { (rows) throws(StorageError) in
      matrix.score(rows, stride: stride, count: block.count)
      for (query, scorer) in scorers.enumerated() {
        try matrix.forEachCandidate(query: query, atLeast: scorer.limit) {
          (position, _) throws(StorageError) -> Float in
          let start = position * stride
          scorer.exact.score(rows.extracting(start..<start + stride), stride: stride, count: 1)
          try scorer.scan.offer(block.lowerBound + position, scorer.exact[0])
          return scorer.limit
        }
      }
    }
  }
}
