internal import EmbeddingStores

/// How a run goes about its work. Every default suits an app in the foreground.
public struct IndexingOptions: Sendable {
  /// Items of one batch, at least 1: what is stored in one commit, and lost at most when the process is
  /// killed. The encoder gets a batch in one call, or in several when its items have more than four times
  /// as many inputs.
  public var batchSize = 20
  /// Items whose content is loaded at the same time, at least 1. While one batch is encoded the next
  /// is loaded, so that two batches are in memory.
  public var concurrentLoadCount = 4
  /// How long loading one item may take before it is cancelled and counts as unavailable; more than 0.
  public var loadTimeLimit = Duration.seconds(60)
  /// How long the encoder may take for one call before it is cancelled; more than 0. Each item of the
  /// batch is then tried alone, and one that takes as long again counts as broken.
  public var encodeTimeLimit = Duration.seconds(60)
  /// How long the run may take, planning included, such as the allowance of a background task; nil for
  /// no limit. It ends before a batch that might not be done in time, and cancels what is under way
  /// when the time is up.
  ///
  /// This limit, those above and cancelling a run all rest on sources and encoders that end early when
  /// their task is cancelled: what ignores that is waited for.
  public var timeBudget: Duration?
  /// With fewer items than this to encode, the encoder is not loaded and the items are left for
  /// later.
  public var minimumWorkCount = 1
  /// Whether items that were not available are tried again, before all others: set it when the app
  /// has reason to think that they are, such as a network it may use.
  public var retriesUnavailable = false
  /// Whether records are removed whose keys the source does not list. Set it to false when several
  /// sources fill one store, or when the app puts records of its own into it.
  public var removesGoneItems = true
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

  /// The most inputs of one call of the encoder.
  var callSize: Int {
    let (size, overflow) = batchSize.multipliedReportingOverflow(by: 4)
    return overflow ? .max : size
  }

  /// Throws `.invalidArgument` for values out of their range.
  func check() throws(StoreError) {
    let isInRange =
      batchSize >= 1 && concurrentLoadCount >= 1 && loadTimeLimit > .zero
      && encodeTimeLimit > .zero && (0...1).contains(largestRemovalShare)
    guard isInRange else {
      throw StoreError(
        .invalidArgument,
        "A batch has at least 1 item, at least 1 is loaded at a time, time limits are more than 0, "
          + "and a share lies within 0...1: see \(self).")
    }
  }
}
