internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Synchronization

/// The exact search that reads compact codes first and Float16 rows last.
///
/// Every stage of codes gives a row an upper bound of its score. A row whose bound is below the
/// worst score of a full result can not enter it, so it is never looked at again; every other one
/// ends up scored by the same kernel as in `FullScan`. The result is the same bit for bit, in
/// whatever order rows are visited. `Docs/Search.md` has the proof and the figures.
struct Cascade: Sendable {
  /// For rows without codes, and where codes do not pay.
  let scan: FullScan
  let codes: CodeQuery
  /// Cleared when too many rows survive; then the rest is scanned.
  private let pays = SharedFlag(true)

  private var plan: SearchPlan { scan.plan }
  private var main: MainFile { plan.contents.main }

  /// Nil when the rows have no codes, or when reading them can not pay.
  init?(plan: SearchPlan, cancellation: SearchCancellation) throws(StorageError) {
    let main = plan.contents.main
    guard main.codeState == .present, plan.capacity < main.rowCount / Self.rowsPerMatch,
      let layout = CodeLayout(dimension: main.header.space.dimension),
      Self.pays(plan, layout)
    else { return nil }
    let codes = try main.withCodeBasis { (basis) throws(StorageError) in
      CodeQuery(
        plan.query, basis: basis, layout, rowLength: plan.contents.maximumRowLength)
    }
    guard let codes,
      main.codeByteCount == layout.byteCount(rowCount: main.rowCount)
        + codes.readByteCount
    else { return nil }
    scan = FullScan(plan: plan, cancellation: cancellation)
    self.codes = codes
  }

  /// Whether the allowed rows have more bytes than rotating the query reads.
  private static func pays(_ plan: SearchPlan, _ layout: CodeLayout) -> Bool {
    guard let allowed = plan.allowed else { return true }
    return allowed.count * plan.contents.stride > CodeBasis.byteCount(layout)
  }

  /// With fewer rows for each match that is asked for, too few can be skipped.
  private static let rowsPerMatch = 32

  func makeWorker(_ threshold: SharedThreshold, _ scratch: SearchScratch) -> Worker {
    Worker(cascade: self, threshold: threshold, scratch: scratch)
  }

  /// One thread's part of one search.
  final class Worker {
    private let cascade: Cascade
    private let plan: SearchPlan
    private let main: MainFile
    private let layout: CodeLayout
    private let threshold: SharedThreshold
    private let codes: CodeScanner
    private let scorer: BlockScorer
    private let survivors: Survivors
    /// Those of a batch, and the first of them to go through the last stage.
    private let batch: Survivors
    private let best: Survivors
    private(set) var candidates: TopCandidates
    private(set) var work = SearchWork()
    /// Rows whose first stage was read, and how many survivors call for a better threshold.
    private var scannedRowCount = 0
    private var nextSeeding = Worker.firstSeeding
    /// Survivors that were looked at, in order to raise the threshold or to the end.
    private var visitedRowCount = 0
    /// Whether so many rows were excluded so far that it will go on.
    private var isTrusted = false

    /// A chunk of rows.
    private static let firstSeeding = CodeLayout.chunkRowCount

    fileprivate init(cascade: Cascade, threshold: SharedThreshold, scratch: SearchScratch) {
      survivors = scratch.take()
      batch = scratch.take()
      best = scratch.take()
      self.cascade = cascade
      self.threshold = threshold
      plan = cascade.plan
      main = cascade.main
      layout = cascade.codes.layout
      codes = CodeScanner(cascade.codes)
      scorer = BlockScorer(query: plan.query)
      candidates = plan.makeCandidates()
    }

    /// Gives back what `init` took.
    func end(_ scratch: SearchScratch) {
      scratch.giveBack(survivors)
      scratch.giveBack(batch)
      scratch.giveBack(best)
    }

    /// Rows with a lower score can not enter the result.
    private var limit: Float { cascade.scan.limit(candidates, threshold) }

    private var isFull: Bool { candidates.count == plan.capacity }

    /// How many rows of the largest bounds set a good threshold. Before there is one, each of them
    /// is scored from Float16, so a rough one has to do.
    private var seedCount: Int { plan.capacity + (isFull ? plan.capacity / 4 + 54 : 10) }

    func visit(chunk: Int) throws(StorageError) {
      try cascade.scan.cancellation.check()
      let rows = chunk * CodeLayout.chunkRowCount
      let range = rows..<min(rows + CodeLayout.chunkRowCount, main.rowCount)
      let allowedCount = plan.allowed?.count(in: range) ?? range.count
      let codeByteCount = layout.byteCount(ofStage: 0) * range.count
      guard allowedCount * main.stride > codeByteCount, cascade.pays.value else {
        return try scan(range, allowedCount)
      }
      try readFirstStage(chunk, range)
      if survivors.count >= nextSeeding {
        try seed()
        nextSeeding = 2 * survivors.count + 4 * Self.firstSeeding
      }
    }

    /// Scans rows without codes.
    func scan(_ range: Range<Int>) throws(StorageError) {
      try scan(range, plan.allowed?.count(in: range) ?? range.count)
    }

    private func scan(_ range: Range<Int>, _ allowedCount: Int) throws(StorageError) {
      guard allowedCount > 0 else { return }
      work.scoredRowCount += allowedCount
      work.scoredByteCount += allowedCount * main.stride
      try cascade.scan.scan(range, scorer, &candidates, threshold)
    }

    private func readFirstStage(
      _ chunk: Int, _ range: Range<Int>
    ) throws(StorageError) {
      let start = layout.offset(ofChunk: chunk)
      let end = start + layout.range(ofStage: 0, rowCount: range.count).upperBound
      let allowed = plan.allowed.map {
        ContiguousArray($0.words[range.lowerBound / 64..<(range.upperBound + 63) / 64])
      }
      let limit = limit
      try main.withCodes(start..<end) { (bytes) throws(StorageError) in
        if let allowed {
          codes.scan(
            chunk: chunk, bytes, firstRow: range.lowerBound, rowCount: range.count,
            allowed: allowed.span, threshold: limit, into: survivors)
        } else {
          codes.scan(
            chunk: chunk, bytes, firstRow: range.lowerBound, rowCount: range.count, allowed: nil,
            threshold: limit, into: survivors)
        }
      }
      scannedRowCount += range.count
      work.codedRowCounts[0] += range.count
      work.codeByteCount += end - start
    }

    // MARK: - Survivors

    /// Raises the threshold by the survivors that promise most, and drops those it excludes.
    private func seed() throws(StorageError) {
      try visitBest(seedCount)
      survivors.removeAll(below: limit)
      try giveUpIfUseless()
    }

    /// Looks at every survivor that may still enter the result, those of the largest bounds first.
    func finish() throws(StorageError) {
      var count = seedCount
      while survivors.count > 0 {
        try visitBest(count)
        survivors.removeAll(below: limit)
        try giveUpIfUseless()
        // With a full result the threshold is near its end, and reading in order is faster.
        count = isFull ? .max : 8 * count
      }
    }

    /// Scores what is left when hardly any row can be skipped, and scans the rest.
    private func giveUpIfUseless() throws(StorageError) {
      guard isFull, !isTrusted, !excludes() else { return }
      work.gaveUp = true
      cascade.pays.clear()
      try score(survivors, inOrder: true)
      survivors.removeAll()
    }

    /// Whether a fair share of the rows read so far will not be looked at again.
    private func excludes() -> Bool {
      // A quarter of the rows will do to tell.
      isTrusted = scannedRowCount * 4 >= main.rowCount
      // As many rows as will be in the result are so good: the threshold ends up near the worst.
      let share = Double(scannedRowCount) / Double(main.rowCount)
      let place = min(Int((Double(plan.capacity) * share).rounded(.up)), plan.capacity)
      let expected = plan.unclamped(candidates.sorted()[max(place, 1) - 1].score)
      // When a larger share survives, the stages cost as much as they save.
      return Double(survivors.count(atLeast: expected))
        <= 0.95 * Double(scannedRowCount - visitedRowCount)
    }

    private func visitBest(_ count: Int) throws(StorageError) {
      survivors.moveBest(count, to: batch)
      visitedRowCount += batch.count
      // Bounds exclude nothing yet.
      guard limit > -.infinity else { return try score(batch, inOrder: true) }
      try refine(batch, from: 1)
      if batch.count > Self.manyRows * seedCount {
        // So many that a sort and jumps from row to row would cost more than they save.
        batch.moveBest(seedCount, to: best)
        try score(best, inOrder: false)
        batch.removeAll(below: limit)
        try score(batch, inOrder: true)
      } else {
        try score(batch, inOrder: false)
      }
    }

    private static let manyRows = 8

    private func refine(
      _ rows: Survivors, from first: Int
    ) throws(StorageError) {
      for stage in first..<layout.stageCount where rows.count > 0 {
        let isLast = stage == layout.stageCount - 1
        // The last stage reads the most: a few rows first, so that the others meet a better limit.
        if isLast, rows !== best, rows.count > 2 * seedCount {
          rows.moveBest(seedCount, to: best)
          try refine(best, from: stage)
          try score(best, inOrder: false)
          rows.removeAll(below: limit)
        }
        let count = rows.count
        try refine(rows, stage: stage)
        // What one stage can not tell apart the next hardly will.
        if count > CodeLayout.chunkRowCount, rows.count * 10 > count * 9 { return }
      }
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
    private func score(_ rows: Survivors, inOrder: Bool) throws(StorageError) {
      if inOrder, rows.isDense { return try scoreRuns(rows) }
      if !inOrder { rows.sortByBound() }
      var start = 0
      while start < rows.count {
        if !inOrder, rows.bound(at: start) < limit { return }
        let missing = plan.capacity - candidates.count
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
        try main.withRows(run) { (bytes) throws(StorageError) in
          scorer.score(bytes, stride: main.stride, count: run.count)
        }
        var next = start
        try offerScored(run.count) { position in
          let row = UInt32(truncatingIfNeeded: first + position)
          while next < end, rows.row(at: next) < row { next += 1 }
          return next < end && rows.row(at: next) == row ? Int(row) : nil
        }
        start = end
      }
    }

    private func score(_ rows: ContiguousArray<UInt32>) throws(StorageError) {
      try main.withRows(at: rows.span) { (all) throws(StorageError) in
        scorer.score(all, stride: main.stride, at: rows.span)
      }
      try offerScored(rows.count) { Int(rows[$0]) }
    }

    /// Offers what was scored last, `count` rows; `row` says which one a position is, nil when it is
    /// not to be offered.
    private func offerScored(
      _ count: Int, _ row: (_ position: Int) -> Int?
    ) throws(StorageError) {
      try cascade.scan.cancellation.check()
      work.scoredRowCount += count
      work.scoredByteCount += count * main.stride
      try scorer.forEachCandidate(atLeast: limit) {
        (position, score) throws(StorageError) -> Float in
        guard let row = row(position) else { return limit }
        if plan.predicate != nil { try cascade.scan.cancellation.check() }
        try plan.offer(row, score, to: &candidates)
        return limit
      }
      threshold.raise(to: candidates.threshold)
    }
  }
}

/// A flag that any thread may clear.
private final class SharedFlag: Sendable {
  private let flag: Atomic<Bool>

  init(_ value: Bool) { flag = Atomic(value) }

  var value: Bool { flag.load(ordering: .relaxed) }

  func clear() { flag.store(false, ordering: .relaxed) }
}
