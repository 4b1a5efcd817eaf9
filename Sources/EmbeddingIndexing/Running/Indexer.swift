public import EmbeddingStores
internal import Foundation
internal import Synchronization

/// Brings a store in line with a source: encodes what is new or changed, batch by batch, and removes
/// what is gone.
///
/// The store itself is the checkpoint. Each batch is one commit, so that a run can be killed at any
/// moment and the next one goes on behind the last batch. An item that can not be encoded never gets
/// a placeholder: it goes to the ledger of failures, and an older vector of it stays as it was.
///
/// A store has one source: records that the source does not list are removed, unless
/// `IndexingOptions.removesGoneItems` is false. An indexer may be used from any task, does its work
/// away from the caller's thread, and does one run at a time.
public final class Indexer<Source: ItemSource, Encoder: EmbeddingEncoder>: Sendable
where Encoder.Input == Source.Input {
  /// Where vectors go.
  public let store: EmbeddingStore
  /// Where items come from.
  public let source: Source
  /// The items that could not be indexed.
  public let failures: FailureLedger
  /// How runs go about their work.
  public let options: IndexingOptions

  let encoder: EncoderLoader<Encoder>
  let throttle: any IndexingThrottle
  /// The store that is being moved to another space, whose details go before the source's.
  let carriedFrom: CarriedStore?
  let gate = PauseGate()
  private let isRunning = Mutex(false)

  /// Joins a store, open for writing, a source and an encoder of the store's space that is loaded
  /// when there is work.
  ///
  /// - Throws: `.spaceMismatch` when the encoder's space is not the store's; see `SpaceMigration`.
  ///   `.invalidArgument` for options out of their ranges; `.readOnly`; otherwise what opening the
  ///   ledger of failures throws.
  public convenience init(
    store: EmbeddingStore, source: Source, encoder: EncoderLoader<Encoder>,
    options: IndexingOptions = .foreground, throttle: any IndexingThrottle = SystemThrottle()
  ) throws(StoreError) {
    try self.init(
      store: store, source: source, encoder: encoder, options: options, throttle: throttle,
      carriedFrom: nil)
  }

  /// Joins a store, a source and an encoder that is loaded already.
  public convenience init(
    store: EmbeddingStore, source: Source, encoder: Encoder,
    options: IndexingOptions = .foreground, throttle: any IndexingThrottle = SystemThrottle()
  ) throws(StoreError) {
    try self.init(
      store: store, source: source, encoder: EncoderLoader(encoder), options: options,
      throttle: throttle)
  }

  init(
    store: EmbeddingStore, source: Source, encoder: EncoderLoader<Encoder>,
    options: IndexingOptions, throttle: any IndexingThrottle, carriedFrom: CarriedStore?
  ) throws(StoreError) {
    try options.check()
    guard encoder.space == store.space else {
      throw StoreError(
        .spaceMismatch,
        "The store holds vectors of \(store.space.summary), and the encoder makes those of "
          + "\(encoder.space.summary). Move the store to the new space with SpaceMigration.",
        path: store.directory?.path(percentEncoded: false))
    }
    self.store = store
    self.source = source
    self.encoder = encoder
    self.options = options
    self.throttle = throttle
    self.carriedFrom = carriedFrom
    failures = try FailureLedger(of: store)
  }

  /// What a run would do now. Reads the source's pages, not its contents, and encodes nothing.
  ///
  /// - Throws: What refreshing and reading the store throws, and `.cancelled`. An error of the source
  ///   is part of the plan.
  @concurrent
  public func plan() async throws(StoreError) -> IndexingPlan {
    try store.refresh()
    return try await IndexingPlan(
      comparing: source, with: store, in: encoder.space, ledger: failures,
      retriesUnavailable: options.retriesUnavailable,
      removingAtMost: options.largestRemovalShare)
  }

  /// Runs a plan, or a new one, and reports after every batch and once at the end.
  ///
  /// - Returns: The final progress, whose `end` says why the run ended; `.failed` for an error, after
  ///   which everything that was committed stays.
  /// - Throws: `.foreignPlan` for a plan of another store or space; `.indexingInProgress` while another
  ///   run of this indexer goes on; what making a plan throws, but for a cancellation.
  @concurrent @discardableResult
  public func run(
    _ plan: IndexingPlan? = nil, report: @escaping @Sendable (IndexingProgress) -> Void = { _ in }
  ) async throws(StoreError) -> IndexingProgress {
    let isFree = isRunning.withLock { isRunning in
      defer { isRunning = true }
      return !isRunning
    }
    guard isFree else {
      throw StoreError(.indexingInProgress, "This indexer does a run already. Wait for its end.")
    }
    defer { isRunning.withLock { $0 = false } }
    if let plan { try check(plan) }
    let clock = RunClock(budget: options.timeBudget)
    let outcome = await clock.cancellingInTime { () -> Result<IndexingProgress, StoreError> in
      do throws(StoreError) {
        let current: IndexingPlan
        if let plan { current = plan } else { current = try await self.plan() }
        return .success(await IndexingRun(self, current, clock: clock, report: report).run())
      } catch {
        return .failure(error)
      }
    }
    return try finalProgress(outcome, clock: clock, report: report)
  }

  /// Tells a cancellation or the end of the time budget while planning as a run tells them.
  private func finalProgress(
    _ outcome: Result<IndexingProgress, StoreError>, clock: RunClock,
    report: @Sendable (IndexingProgress) -> Void
  ) throws(StoreError) -> IndexingProgress {
    switch outcome {
    case .success(let progress): return progress
    case .failure(let error):
      guard error.code == .cancelled else { throw error }
      var progress = IndexingProgress(total: 0)
      progress.end = clock.hasTime(for: .zero) ? .cancelled : .timeBudgetSpent
      report(progress)
      return progress
    }
  }

  private func check(_ plan: IndexingPlan) throws(StoreError) {
    guard plan.space == store.space, plan.store == (try store.snapshot().storeIdentifier) else {
      throw StoreError(
        .foreignPlan,
        "The plan was made for another store or space: \(plan.space.summary). Make a plan of this "
          + "indexer; to change the space of a store use SpaceMigration.")
    }
  }

  /// The progress of a run of a plan, or of a new one, as it goes on.
  ///
  /// The run starts at once. Whoever is slow sees the newest value only, and always the last, whose
  /// `end` is not nil. Cancelling the task that iterates, or letting go of the stream, cancels the run
  /// within its batch; leaving the loop does so when nothing else holds the stream.
  public func progress(of plan: IndexingPlan? = nil) -> AsyncStream<IndexingProgress> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do throws(StoreError) {
          try await run(plan) { continuation.yield($0) }
        } catch {
          var progress = IndexingProgress(total: plan?.workCount ?? 0)
          progress.end = .failed(error)
          continuation.yield(progress)
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Lets the run that goes on, and later ones, wait after the batch in flight.
  public func pause() { gate.isPaused = true }

  /// Lets runs go on.
  public func resume() { gate.isPaused = false }

  /// Whether runs wait.
  public var isPaused: Bool { gate.isPaused }
}
