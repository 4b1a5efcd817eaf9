internal import EmbeddingStores

/// One run of a plan: from the first batch to the reason why it ended.
final class IndexingRun<Source: ItemSource, Encoder: EmbeddingEncoder>
where Encoder.Input == Source.Input {
  let indexer: Indexer<Source, Encoder>
  let clock: RunClock
  var progress: IndexingProgress
  /// How long the last batches took at most, without waiting; it fades.
  var longestBatch = Duration.zero
  private var pace = PaceMeter()
  private let plan: IndexingPlan
  private let report: @Sendable (IndexingProgress) -> Void
  private var encoder: Encoder?
  /// Batches in a row of which the encoder managed nothing.
  private var uselessBatchCount = 0
  /// Items that are still to be encoded, each with whether it goes before the others.
  private var work: [ItemKey: Bool] = [:]
  /// Keys to remove, and failures to forget, unless the source lists them after all.
  private var gone: Set<ItemKey>
  private var goneFailures: Set<ItemKey>
  private var hasReadWholeSource = false

  init(
    _ indexer: Indexer<Source, Encoder>, _ plan: IndexingPlan, clock: RunClock,
    report: @escaping @Sendable (IndexingProgress) -> Void
  ) {
    self.indexer = indexer
    self.plan = plan
    self.clock = clock
    self.report = report
    progress = IndexingProgress(total: plan.workCount)
    gone = indexer.options.removesGoneItems ? Set(plan.gone.map(ItemKey.init)) : []
    goneFailures = Set(plan.goneFailures.map(ItemKey.init))
    work.reserveCapacity(plan.workCount)
    for keys in [plan.new, plan.changed, plan.movedToAnotherSpace] {
      for key in keys { work[ItemKey(key)] = false }
    }
    for key in plan.retried { work[ItemKey(key)] = true }
  }

  func run() async -> IndexingProgress {
    report(progress)
    do throws(RunEnded) {
      let isEnough = plan.workCount == 0 || plan.workCount >= indexer.options.minimumWorkCount
      if isEnough { try await encodeAll() }
      try await removeGone()
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
    var pages = PageReader(indexer.source)
    var waiting: [SourceItem] = []
    var loaded: [LoadedItem<Source.Input>] = []
    var sourceError: StoreError?
    do throws(SourceStopped) {
      while let page = try await next(of: &pages) {
        for item in page where take(item, goesFirst: goesFirst) {
          waiting.append(item)
          guard waiting.count >= indexer.options.batchSize else { continue }
          do throws(RunEnded) {
            loaded = try await process(loaded, whileLoading: waiting)
          } catch {
            throw .ended(error)
          }
          waiting = []
        }
      }
      hasReadWholeSource = true
    } catch {
      switch error {
      case .ended(let ended): throw ended
      case .failed(let error): sourceError = error
      }
    }
    loaded = try await process(loaded, whileLoading: waiting)
    try await process(loaded)
    if let sourceError { throw .failed(sourceError) }
  }

  /// Why reading pages stopped before their end.
  private enum SourceStopped: Error {
    case ended(RunEnded)
    case failed(StoreError)
  }

  private func next(of pages: inout PageReader) async throws(SourceStopped) -> [SourceItem]? {
    do throws(StoreError) {
      return try await pages.next()
    } catch {
      guard error.code == .cancelled else { throw .failed(error) }
      throw .ended(
        clock.hasTime(for: .zero) ? .cancelled : RunEnded(reason: .timeBudgetSpent))
    }
  }

  /// Whether an item is to be encoded now; it is not again.
  private func take(_ item: SourceItem, goesFirst: Bool) -> Bool {
    let key = ItemKey(item.key)
    gone.remove(key)
    goneFailures.remove(key)
    guard work[key] == goesFirst else { return false }
    work[key] = nil
    return true
  }

  /// Encodes and stores one batch while the next is loaded.
  private func process(
    _ loaded: [LoadedItem<Source.Input>], whileLoading items: [SourceItem]
  ) async throws(RunEnded) -> [LoadedItem<Source.Input>] {
    guard !items.isEmpty else { return loaded }
    try await waitWhilePaused()
    let loader = BatchLoader(
      source: indexer.source, concurrentLoadCount: indexer.options.concurrentLoadCount,
      timeLimit: indexer.options.loadTimeLimit)
    async let next = loader.load(items)
    try await process(loaded)
    let began = ContinuousClock.now
    let result = await next
    // What was interrupted says nothing about the items.
    try clock.checkMayGoOn()
    waitedForLoading = began.duration(to: .now)
    return result
  }

  /// How long the batch that is due was waited for.
  private var waitedForLoading = Duration.zero

  private func process(_ loaded: [LoadedItem<Source.Input>]) async throws(RunEnded) {
    guard !loaded.isEmpty else { return }
    let rest = try await waitForPermission()
    if encoder == nil, loaded.contains(where: { !$0.loadedInputs.isEmpty }) {
      encoder = try await loadEncoder()
    }
    let began = ContinuousClock.now
    let encoded = try await encode(loaded)
    try store(encoded)
    let took = began.duration(to: .now) + waitedForLoading
    waitedForLoading = .zero
    longestBatch = max(longestBatch * 0.9, took)
    pace.note(itemCount: loaded.count, took: took + rest)
    progress.itemsPerSecond = pace.itemsPerSecond
    progress.estimatedTimeRemaining = pace.timeRemaining(
      for: progress.total - progress.processed)
    report(progress)
  }

  private func loadEncoder() async throws(RunEnded) -> Encoder {
    do {
      return try await indexer.encoder.encoder()
    } catch {
      try clock.checkMayGoOn()
      throw .failed(StoreError(encoderFailure: error))
    }
  }

  private func encode(
    _ loaded: [LoadedItem<Source.Input>]
  ) async throws(RunEnded) -> [EncodedItem] {
    guard let encoder, loaded.contains(where: { !$0.loadedInputs.isEmpty }) else {
      return loaded.map { EncodedItem(item: $0.item, vectors: $0.inputs.map { _ in [] }) }
    }
    let batch = BatchEncoder(
      encoder: encoder, space: indexer.store.space, callSize: indexer.options.callSize,
      timeLimit: indexer.options.encodeTimeLimit, clock: clock)
    let outcome: BatchEncoder<Encoder>.Outcome
    do {
      outcome = try await batch.encode(loaded)
    } catch let ended as RunEnded {
      throw ended
    } catch {
      throw .failed(StoreError(encoderFailure: error))
    }
    guard let error = outcome.encoderError else {
      uselessBatchCount = 0
      return outcome.items
    }
    uselessBatchCount += 1
    // The items are kept as unavailable up to here, so that the next run begins behind them.
    guard uselessBatchCount < 3 else { throw .failed(StoreError(encoderFailure: error)) }
    return outcome.items
  }

  // MARK: What is gone

  private func removeGone() async throws(RunEnded) {
    guard plan.sourceError == nil else { return }
    progress.removalError = gone.isEmpty ? nil : plan.removalError
    if !hasReadWholeSource, !gone.isEmpty || !goneFailures.isEmpty { try await readSourceAgain() }
    try clock.checkMayGoOn()
    do throws(StoreError) {
      try indexer.failures.forget(plan.settledFailures)
      guard progress.removalError == nil else { return }
      let keys = gone.map(\.string)
      // In this order: once they are not stored, no later run finds that they are gone.
      try indexer.failures.forget(keys + goneFailures.map(\.string))
      try indexer.store.remove(keys, atMost: indexer.options.largestRemovalShare)
      progress.removed = keys.count
    } catch {
      guard error.code == .tooManyRemovals else { throw .failed(error) }
      progress.removalError = error
    }
  }

  /// Takes what the source lists now off the list of what is gone.
  private func readSourceAgain() async throws(RunEnded) {
    var pages = PageReader(indexer.source)
    do throws(SourceStopped) {
      while let page = try await next(of: &pages) {
        for item in page { _ = take(item, goesFirst: true) }
      }
    } catch {
      switch error {
      case .ended(let ended): throw ended
      case .failed(let error): throw .failed(error)
      }
    }
  }
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
