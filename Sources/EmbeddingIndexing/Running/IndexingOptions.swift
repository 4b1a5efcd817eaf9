/// How a run goes about its work. Every default suits an app in the foreground.
public struct IndexingOptions: Sendable {
  /// Items of one batch, at least 1: what is encoded together and stored in one commit, and what is
  /// lost at most when the process is killed.
  public var batchSize = 20
  /// Items whose content is loaded at the same time, at least 1. While one batch is encoded the next
  /// is loaded, so that two batches are in memory.
  public var concurrentLoadCount = 4
  /// How long loading one item may take before it counts as broken.
  public var loadTimeLimit = Duration.seconds(60)
  /// How long the encoder may take for one call before it is cancelled. Each item of the batch is
  /// then tried alone, and one that takes as long again counts as broken.
  public var encodeTimeLimit = Duration.seconds(60)
  /// How long the run may take, such as the allowance of a background task; nil for no limit. It ends
  /// before a batch that might not be done in time, and gives up a batch that is not.
  public var timeBudget: Duration?
  /// With fewer items than this to encode, the encoder is not loaded and the items are left for
  /// later.
  public var minimumWorkCount = 1
  /// Whether items that were not available are tried again, before all others: set it when the app
  /// has reason to think that they are, such as a network it may use.
  public var retriesUnavailable = false
  /// The largest share of the stored keys that may be removed because the source does not have them.
  public var largestRemovalShare = 0.2

  /// For an app whose user waits: batches of 20.
  public static let foreground = IndexingOptions()

  /// For work that nobody waits for: batches of 100.
  public static let background: IndexingOptions = {
    var options = IndexingOptions()
    options.batchSize = 100
    return options
  }()

  /// The defaults.
  public init() {}
}
