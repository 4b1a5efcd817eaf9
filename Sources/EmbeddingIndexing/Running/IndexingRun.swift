internal import EmbeddingStores

/// One run of a plan: from the first batch to the reason why it ended.
final class IndexingRun<Source: ItemSource, Encoder: EmbeddingEncoder>
where Encoder.Input == Source.Input {
  let indexer: Indexer<Source, Encoder>
  let clock: RunClock
  var progress: IndexingProgress
  var pace = PaceMeter()
  /// When the last batch ended, or the run began; moved on by pauses.
  var batchStarted: ContinuousClock.Instant
  private let plan: IndexingPlan
  private let report: @Sendable (IndexingProgress) -> Void
  private var encoder: Encoder?
  /// Items that are still to be encoded, each with whether it goes before the others.
  private var work: [ItemKey: Bool] = [:]
  /// Keys to remove, unless the source lists them after all.
  private var gone: Set<ItemKey>

  init(
    _ indexer: Indexer<Source, Encoder>, _ plan: IndexingPlan, started: ContinuousClock.Instant,
    report: @escaping @Sendable (IndexingProgress) -> Void
  ) {
    self.indexer = indexer
    self.plan = plan
    self.report = report
    clock = RunClock(started: started, budget: indexer.options.timeBudget)
    batchStarted = .now
    progress = IndexingProgress(total: plan.workCount)
    gone = Set(plan.gone.map(ItemKey.init))
    for key in plan.new + plan.changed + plan.movedToAnotherSpace { work[ItemKey(key)] = false }
    for key in plan.retried { work[ItemKey(key)] = true }
  }

  func run() async -> IndexingProgress {
    report(progress)
    do throws(RunEnded) {
      let isEnough = plan.workCount == 0 || plan.workCount >= indexer.options.minimumWorkCount
      if isEnough { try await encodeAll() }
      try removeGone()
      if let error = plan.sourceError { throw .failed(error) }
      progress.end = isEnough ? .finished : .tooLittleWork
    } catch {
      progress.end = error.reason
    }
    progress.estimatedTimeRemaining = nil
    report(progress)
    return progress
  }

  private func encodeAll() async throws(RunEnded) {
    // What may have become available goes first: the app said that now is the time.
    for goesFirst in [true, false] where work.values.contains(goesFirst) {
      try await encodeItems(goesFirst: goesFirst)
    }
    // What the plan found and the source no longer lists.
    progress.total -= work.count
  }

  private func encodeItems(goesFirst: Bool) async throws(RunEnded) {
    let batchSize = max(1, indexer.options.batchSize)
    var pages = PageReader(indexer.source)
    var waiting: [SourceItem] = []
    var loaded: [LoadedItem<Source.Input>] = []
    var sourceError: StoreError?
    reading: while true {
      let page: [SourceItem]
      do throws(StoreError) {
        guard let next = try await pages.next() else { break reading }
        page = next
      } catch {
        guard error.code == .sourceFailed else { throw .cancelled }
        sourceError = error
        break reading
      }
      for item in page where take(item, goesFirst: goesFirst) {
        waiting.append(item)
        guard waiting.count >= batchSize else { continue }
        loaded = try await process(loaded, whileLoading: waiting)
        waiting = []
      }
    }
    loaded = try await process(loaded, whileLoading: waiting)
    try await process(loaded)
    if let sourceError { throw .failed(sourceError) }
  }

  /// Whether an item is to be encoded now; it is not again.
  private func take(_ item: SourceItem, goesFirst: Bool) -> Bool {
    let key = ItemKey(item.key)
    gone.remove(key)
    guard work[key] == goesFirst else { return false }
    work[key] = nil
    return true
  }

  /// Encodes and stores one batch while the next is loaded.
  private func process(
    _ loaded: [LoadedItem<Source.Input>], whileLoading items: [SourceItem]
  ) async throws(RunEnded) -> [LoadedItem<Source.Input>] {
    let loader = BatchLoader(
      source: indexer.source, concurrentLoadCount: max(1, indexer.options.concurrentLoadCount),
      timeLimit: clock.shortened(indexer.options.loadTimeLimit))
    async let next = loader.load(items)
    try await process(loaded)
    let result = await next
    try checkMayGoOn()
    return result
  }

  private func process(_ loaded: [LoadedItem<Source.Input>]) async throws(RunEnded) {
    guard !loaded.isEmpty else { return }
    try await waitForPermission()
    let encoded = try await encode(loaded)
    try store(encoded)
    let now = ContinuousClock.now
    pace.note(itemCount: loaded.count, took: batchStarted.duration(to: now))
    batchStarted = now
    progress.itemsPerSecond = pace.itemsPerSecond
    progress.estimatedTimeRemaining = pace.timeRemaining(
      for: progress.total - progress.processed)
    report(progress)
  }

  private func encode(
    _ loaded: [LoadedItem<Source.Input>]
  ) async throws(RunEnded) -> [EncodedItem] {
    do {
      let encoder = try await loadedEncoder()
      let batch = BatchEncoder(
        encoder: encoder, timeLimit: clock.shortened(indexer.options.encodeTimeLimit))
      let encoded = try await batch.encode(loaded, in: indexer.store.space)
      // What was given up because time ran out says nothing about its items.
      try checkMayGoOn()
      return encoded
    } catch let ended as RunEnded {
      throw ended
    } catch {
      try checkMayGoOn()
      throw .failed(StoreError(encoderFailure: error))
    }
  }

  private func loadedEncoder() async throws -> Encoder {
    if let encoder { return encoder }
    let loaded = try await indexer.encoder.encoder()
    encoder = loaded
    return loaded
  }

  private func removeGone() throws(RunEnded) {
    progress.removalError = plan.removalError
    guard plan.sourceError == nil, plan.removalError == nil, !gone.isEmpty else { return }
    let keys = gone.map(\.string)
    do throws(StoreError) {
      // In this order: once they are not stored, no later run finds that they are gone.
      try indexer.failures.forget(keys)
      try indexer.store.remove(keys)
    } catch {
      throw .failed(error)
    }
    progress.removed = keys.count
  }
}

/// Ends a run from within.
struct RunEnded: Error {
  var reason: IndexingProgress.End

  static let cancelled = RunEnded(reason: .cancelled)

  static func failed(_ error: StoreError) -> RunEnded { RunEnded(reason: .failed(error)) }
}

extension StoreError {
  fileprivate init(encoderFailure error: any Error) {
    if let error = error as? StoreError {
      self = error
    } else {
      self.init(.encoderFailed, "The encoder could not be loaded or used: \(error)")
    }
  }
}
