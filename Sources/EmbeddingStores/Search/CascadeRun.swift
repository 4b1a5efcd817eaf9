internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Synchronization

/// One or more cascades over the same rows: each chunk of codes is read once for all of them.
final class CascadeRun: Sendable {
  /// More queries than this are split, to bound the memory of their survivors.
  static let maximumQueryCount = 8

  private let plans: [SearchPlan]
  private let layout: CodeLayout
  private let cancellation: WorkCancellation
  private let scratch: SearchScratch
  private let threadCount: Int
  /// What the threads share out among them.
  private let journal: RowRanges
  private let chunks: RowRanges
  /// Nil until the first thread has rotated the queries; nil of a query that has no bound.
  private let cascades = Mutex<[Cascade?]?>(nil)

  init(
    _ plans: [SearchPlan], _ layout: CodeLayout, on snapshot: Snapshot,
    cancellation: WorkCancellation, threadCount: Int
  ) {
    self.plans = plans
    self.layout = layout
    self.cancellation = cancellation
    self.threadCount = threadCount
    scratch = snapshot.scratch
    let contents = snapshot.contents
    journal = RowRanges(from: contents.mainRowCount, to: contents.rowCount)
    chunks = RowRanges(
      from: 0, to: CodeLayout.chunkCount(rowCount: contents.mainRowCount), count: 1)
  }

  /// Visits the rows that no other thread takes, and returns the work that took.
  func visit() throws(StorageError) -> SearchWork {
    var work = SearchWork()
    let workers = try prepared(&work).compactMap(\.self).map {
      CascadeWorker(cascade: $0, threadCount: threadCount, scratch: scratch)
    }
    defer { for worker in workers { worker.end(scratch) } }
    guard !workers.isEmpty else { return work }
    // The journal first: it is scanned in any case, and raises the threshold.
    while let range = journal.next() {
      for worker in workers { try worker.scan(range) }
    }
    while let range = chunks.next() {
      for chunk in range {
        for worker in workers { try worker.visit(chunk: chunk) }
      }
    }
    for worker in workers {
      try worker.finish()
      work.add(worker.work)
    }
    return work
  }

  /// The queries, rotated by the first thread that comes: until then the others are waking up.
  private func prepared(_ work: inout SearchWork) throws(StorageError) -> [Cascade?] {
    let (cascades, byteCount) = try cascades.withLock { (cascades) throws(StorageError) in
      if let cascades { return (cascades, 0) }
      var made: [Cascade?] = []
      for plan in plans {
        made.append(try Cascade(plan: plan, layout, cancellation: cancellation))
      }
      cascades = made
      return (made, made.reduce(0) { $0 + ($1?.codes.readByteCount ?? 0) })
    }
    work.basisByteCount += byteCount
    return cascades
  }

  /// The result of each plan, once every thread is done; nil of one without a bound.
  func matches() throws(StorageError) -> [[Match]?] {
    var matches: [[Match]?] = []
    for cascade in cascades.withLock({ $0 }) ?? [] {
      matches.append(try cascade?.scan.matches())
    }
    return matches
  }
}
