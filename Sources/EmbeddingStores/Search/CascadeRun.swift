internal import EmbeddingFiles
internal import EmbeddingKernels

/// One or more cascades over the same rows: each chunk of codes is read once for all of them.
struct CascadeRun: Sendable {
  /// More queries than this are split, to bound the memory of their survivors.
  static let maximumQueryCount = 8

  let cascades: [Cascade]
  let scratch: SearchScratch

  /// Candidates of each cascade among the rows that a thread visits, and the work that took.
  func candidates(
    in source: Source, _ thresholds: [SharedThreshold]
  ) throws(StorageError) -> ([[Candidate]], SearchWork) {
    var workers: [CascadeWorker] = []
    for (cascade, threshold) in zip(cascades, thresholds) {
      workers.append(cascade.makeWorker(threshold, scratch))
    }
    defer { for worker in workers { worker.end(scratch) } }
    // The journal first: it is scanned in any case, and raises the threshold.
    while let range = source.journal.next() {
      for worker in workers { try worker.scan(range) }
    }
    while let range = source.chunks.next() {
      for chunk in range {
        for worker in workers { try worker.visit(chunk: chunk) }
      }
    }
    var work = SearchWork()
    var found: [[Candidate]] = []
    for worker in workers {
      try worker.finish()
      work.add(worker.work)
      found.append(worker.candidates.sorted())
    }
    return (found, work)
  }

  /// What the threads of a run share out among them.
  struct Source: Sendable {
    let journal: RowRanges
    let chunks: RowRanges

    init(_ contents: Contents) {
      journal = RowRanges(from: contents.mainRowCount, to: contents.rowCount)
      chunks = RowRanges(
        from: 0, to: CodeLayout.chunkCount(rowCount: contents.mainRowCount), count: 1)
    }
  }
}
