internal import EmbeddingFiles
internal import EmbeddingKernels

extension CascadeWorker {
  /// Takes rows through the stages, drops those that one of them excludes, and scores the others.
  func refine(_ rows: Survivors) throws(StorageError) {
    for stage in 1..<layout.stageCount where rows.count > 0 {
      // The last stage reads the most: a few rows first, so that the others meet a better limit.
      if stage == layout.stageCount - 1, rows.count > 2 * seedCount { try scoreBest(of: rows) }
      let count = rows.count
      try refine(rows, stage: stage)
      // What one stage can not tell apart the next hardly will.
      if count > CodeLayout.chunkRowCount, rows.count * 10 > count * 9 { break }
    }
    guard rows.count > Self.manyRows * seedCount else { return try score(rows, inOrder: false) }
    // So many that a sort and jumps from row to row would cost more than they save.
    try scoreBest(of: rows)
    try score(rows, inOrder: true)
  }

  private static let manyRows = 8

  /// Scores the rows of the largest bounds, and drops those they exclude.
  private func scoreBest(of rows: Survivors) throws(StorageError) {
    let ceiling = rows.copyBest(seedCount, to: best)
    try score(best, inOrder: true)
    rows.keep(atLeast: limit, below: ceiling)
  }

  private func refine(_ rows: Survivors, stage: Int) throws(StorageError) {
    try cascade.scan.cancellation.check()
    work.codedRowCounts[stage] += rows.count
    work.codeByteCount += rows.count * layout.byteCount(ofStage: stage)
    var (start, kept) = (0, 0)
    while start < rows.count {
      let chunk = Int(rows.row(at: start)) / CodeLayout.chunkRowCount
      let first = chunk * CodeLayout.chunkRowCount
      let count = min(CodeLayout.chunkRowCount, main.rowCount - first)
      let end = rows.index(ofRow: UInt32(truncatingIfNeeded: first + count), from: start)
      let offset = layout.offset(ofChunk: chunk)
      let range = layout.range(ofStage: stage, rowCount: count)
      let limit = limit
      let run = start..<end
      let target = kept
      kept += try main.withCodes(offset + range.lowerBound..<offset + range.upperBound) {
        (bytes) throws(StorageError) -> Int in
        codes.refine(
          rows, run, to: target, stage: stage, chunk: chunk, bytes, firstRow: first,
          threshold: limit)
      }
      start = end
    }
    rows.truncate(to: kept)
  }

  /// Scores rows by K: in their own order, or by decreasing bound until one is below the limit.
  func score(_ rows: Survivors, inOrder: Bool) throws(StorageError) {
    if inOrder, rows.isDense { return try scoreRuns(rows) }
    if !inOrder { rows.sortByBound() }
    var start = 0
    while start < rows.count {
      if !inOrder, rows.bound(at: start) < limit { return }
      let missing = plan.capacity - cascade.scan.found.count
      let most = inOrder ? BlockScorer.blockRowCount : max(16, missing)
      let end = min(rows.count, start + min(most, BlockScorer.blockRowCount))
      let indexes = rows.rows(start..<end, atLeast: limit)
      try score(indexes)
      start = end
    }
  }

  /// Scores rows most of whose neighbours are among them, by reading all as a stream.
  private func scoreRuns(_ rows: Survivors) throws(StorageError) {
    var start = 0
    while start < rows.count {
      let first = Int(rows.row(at: start))
      let end = rows.index(
        ofRow: UInt32(truncatingIfNeeded: first + BlockScorer.blockRowCount), from: start)
      let run = first..<Int(rows.row(at: end - 1)) + 1
      let indexes = rows.rows(start..<end, atLeast: limit)
      try main.withRows(run) { (bytes) throws(StorageError) in
        scorer.score(bytes, stride: main.stride, count: run.count)
      }
      var next = 0
      try offerScored { position in
        let row = UInt32(truncatingIfNeeded: first + position)
        while next < indexes.count, indexes[next] < row { next += 1 }
        return next < indexes.count && indexes[next] == row ? Int(row) : nil
      }
      start = end
    }
  }

  private func score(_ rows: ContiguousArray<UInt32>) throws(StorageError) {
    try main.withRows(at: rows.span) { (all) throws(StorageError) in
      scorer.score(all, stride: main.stride, at: rows.span)
    }
    try offerScored { Int(rows[$0]) }
  }

  private func offerScored(_ row: (_ position: Int) -> Int?) throws(StorageError) {
    try cascade.scan.cancellation.check()
    work.scoredRowCount += scorer.count
    work.scoredByteCount += scorer.count * main.stride
    try cascade.scan.offerScored(by: scorer, row)
  }
}
