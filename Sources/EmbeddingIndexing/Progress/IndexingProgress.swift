public import EmbeddingStores

/// How far a run has come. Of one run, `completed + deferred + failed` never falls, and is `total`
/// when it finished.
public struct IndexingProgress: Equatable, Sendable {
  /// Why a run ended.
  public enum End: Equatable, Sendable {
    /// Every item of the plan was dealt with.
    case finished
    /// The task was cancelled.
    case cancelled
    /// The next batch might not have been done within the time budget.
    case timeBudgetSpent
    /// The throttle asked to stop.
    case throttled
    /// There were fewer items than it was to wait for; the encoder was not loaded.
    case tooLittleWork
    /// The store, the encoder or the source failed. What was committed before stays.
    case failed(StoreError)
  }

  /// Items whose vectors were stored.
  public internal(set) var completed = 0
  /// Items that were not available.
  public internal(set) var deferred = 0
  /// Items that could not be encoded.
  public internal(set) var failed = 0
  /// Items of the plan; fewer at the end when the source has lost some since.
  public internal(set) var total: Int
  /// Keys whose records were removed because the source no longer has them.
  public internal(set) var removed = 0
  /// Items a second, over the last batches; nil until it means something.
  public internal(set) var itemsPerSecond: Double?
  /// How long the rest will take at that rate; nil until it means something. Never negative.
  public internal(set) var estimatedTimeRemaining: Duration?
  /// Why records of items that are gone were not removed, if so.
  public internal(set) var removalError: StoreError?
  /// Why the run ended; nil while it goes on.
  public internal(set) var end: End?

  /// Items that were dealt with, one way or another.
  public var processed: Int { completed + deferred + failed }

  init(total: Int) {
    self.total = total
  }
}
