internal import EmbeddingFiles
internal import EmbeddingKernels

/// One thread's part of one search.
final class CascadeWorker {
  let cascade: Cascade
  let plan: SearchPlan
  let main: MainFile
  let layout: CodeLayout
  /// How many threads visit rows for this search.
  let threadCount: Int
  let codes: CodeScanner
  let scorer: BlockScorer
  let survivors: Survivors
  /// Those of a batch, and the first of them to be scored.
  let batch: Survivors
  let best: Survivors
  var work = SearchWork()
  /// Rows whose first stage was read, and how many survivors call for a better threshold.
  private(set) var scannedRowCount = 0
  private var nextSeeding = CascadeWorker.firstSeeding
  /// Survivors that were looked at, in order to raise the threshold or to the end; and those of
  /// them while the result was not full.
  private(set) var visitedRowCount = 0
  private(set) var fillingRowCount = 0
  /// Whether so many rows were excluded so far that it will go on.
  var isTrusted = false

  /// A chunk of rows.
  private static let firstSeeding = CodeLayout.chunkRowCount

  init(cascade: Cascade, threadCount: Int, scratch: SearchScratch) {
    survivors = scratch.take()
    batch = scratch.take()
    best = scratch.take()
    self.cascade = cascade
    self.threadCount = threadCount
    plan = cascade.plan
    main = cascade.main
    layout = cascade.codes.layout
    codes = CodeScanner(cascade.codes)
    scorer = BlockScorer(query: plan.query)
  }

  /// Gives back what `init` took.
  func end(_ scratch: SearchScratch) {
    scratch.giveBack(survivors)
    scratch.giveBack(batch)
    scratch.giveBack(best)
  }

  /// Rows with a lower score can not enter the result.
  var limit: Float { cascade.scan.limit }

  var isFull: Bool { cascade.scan.found.threshold > -.infinity }

  /// Matches that are yet to be found.
  private var missing: Int { plan.capacity - cascade.scan.found.count }

  /// How many rows of the largest bounds set a good threshold, this thread's share of them. Before
  /// there is one, each of them is scored from Float16, so a rough one has to do.
  var seedCount: Int {
    guard isFull else {
      return (visitedRowCount == 0 ? missing / threadCount : missing) + 10
    }
    return max((plan.capacity + plan.capacity / 4 + 54) / threadCount, fillingRowCount)
  }

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
      let isFirst = visitedRowCount == 0
      try seed()
      // The first seeds may be too few, the more so when another thread has yet to find its share.
      nextSeeding = isFull || !isFirst ? 2 * survivors.count + 4 * Self.firstSeeding : 0
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
    try cascade.scan.scan(range, scorer)
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
    // What a closure rejects shows only when it is asked.
    while plan.predicate != nil, !isFull, !hasSampled, survivors.count > 0 {
      try visitBest(min(8 * seedCount, countToFind(missing) ?? .max))
    }
    try giveUpIfUseless()
  }

  /// Looks at every survivor that may still enter the result, those of the largest bounds first.
  func finish() throws(StorageError) {
    var count = seedCount
    // What was found so far was among the first rows, and now there are better ones.
    if !isFull, let expected = countToFind(plan.capacity) { count = expected }
    while survivors.count > 0 {
      try visitBest(count)
      try giveUpIfUseless()
      // With a full result the threshold is near its end, and reading in order is faster.
      count = isFull ? .max : min(8 * count, countToFind(missing) ?? .max)
    }
  }

  /// In how many more rows so many will be found, as far as those tell that were looked at: a closure
  /// may admit one in a thousand. Nil when nothing was found yet.
  private func countToFind(_ wanted: Int) -> Int? {
    let foundCount = cascade.scan.found.count
    guard foundCount > 0 else { return nil }
    // With several threads, each finds its share of what is missing, as it did of what is there.
    return seedCount + Int(1.25 * Double(wanted) * Double(visitedRowCount) / Double(foundCount))
  }

  /// Looks at the survivors of the largest bounds, and drops those they exclude.
  private func visitBest(_ count: Int) throws(StorageError) {
    let ceiling = survivors.copyBest(count, to: batch)
    visitedRowCount += batch.count
    if !isFull { fillingRowCount += batch.count }
    if limit > -.infinity, batch.count > 2 * seedCount {
      try refine(batch)
    } else {
      // Few are scored in less time than they take to go through the stages.
      try score(batch, inOrder: true)
    }
    survivors.keep(atLeast: limit, below: ceiling)
  }
}
