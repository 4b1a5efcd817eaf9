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
/// An indexer may be used from any task; it does one run at a time.
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
  /// Where details that the source does not give are taken from.
  let carriedFrom: EmbeddingStore
  /// Whether that is another store, whose details go before the source's.
  let carriesOver: Bool
  let gate = PauseGate()
  private let isRunning = Mutex(false)

  /// Joins a store, open for writing, a source and an encoder of the store's space that is loaded
  /// when there is work.
  ///
  /// - Throws: `.spaceMismatch` when the encoder's space is not the store's; see `SpaceMigration`.
  ///   Otherwise what opening the ledger of failures throws.
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
    options: IndexingOptions, throttle: any IndexingThrottle, carriedFrom: EmbeddingStore?
  ) throws(StoreError) {
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
    self.carriedFrom = carriedFrom ?? store
    carriesOver = carriedFrom != nil
    failures = try FailureLedger(of: store)
  }

  /// What a run would do now. Reads the source's pages, not its contents, and encodes nothing.
  public func plan() async throws(StoreError) -> IndexingPlan {
    try await IndexingPlan(
      comparing: source, with: store, in: encoder.space, ledger: failures,
      retriesUnavailable: options.retriesUnavailable,
      removingAtMost: options.largestRemovalShare)
  }

  /// Runs a plan, or a new one, and reports after every batch and once at the end.
  ///
  /// - Returns: The final progress, whose `end` says why the run ended; `.failed` for an error, after
  ///   which everything that was committed stays.
  /// - Throws: `.foreignPlan` for a plan of another space; `.indexingInProgress` while another run of
  ///   this indexer goes on; what making a plan throws.
  @discardableResult
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
    let started = ContinuousClock.now
    let current: IndexingPlan
    if let plan { current = plan } else { current = try await self.plan() }
    guard current.space == store.space else {
      throw StoreError(
        .foreignPlan,
        "The plan is for \(current.space.summary), the store holds \(store.space.summary). Make a "
          + "plan of this indexer, or move the store with SpaceMigration.")
    }
    let run = IndexingRun(self, current, started: started, report: report)
    return await run.run()
  }

  /// The progress of a run of a plan, or of a new one, as it goes on.
  ///
  /// The run starts at once. Whoever is slow sees the newest value only, and always the last, whose
  /// `end` is not nil. Leaving the loop, or cancelling its task, cancels the run within its batch.
  public func progress(of plan: IndexingPlan? = nil) -> AsyncStream<IndexingProgress> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task {
        do throws(StoreError) {
          try await run(plan) { continuation.yield($0) }
        } catch {
          var progress = IndexingProgress(total: plan?.workCount ?? 0)
          progress.end = error.code == .cancelled ? .cancelled : .failed(error)
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
