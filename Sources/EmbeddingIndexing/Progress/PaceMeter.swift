/// Estimates how fast a run goes from the durations of its batches.
///
/// The rate is a mean over all batches in which each older one counts for less, in items as in
/// seconds: one slow batch moves it a little, a lasting change moves it within some ten batches.
struct PaceMeter {
  private var items = 0.0
  private var seconds = 0.0
  private var batchCount = 0
  /// All that was seen, however long ago: what fades would never amount to much of quick batches.
  private var secondsSeen = 0.0
  /// The time of the longest of the last batches, which fades.
  private(set) var longestBatch = Duration.zero

  private static let weightOfOlder = 0.9
  private static let leastBatchCount = 3
  private static let leastSeconds = 0.2

  /// Notes a batch and the time since the one before ended.
  mutating func note(itemCount: Int, took duration: Duration) {
    items = items * Self.weightOfOlder + Double(itemCount)
    seconds = seconds * Self.weightOfOlder + max(0, duration / .seconds(1))
    secondsSeen += max(0, duration / .seconds(1))
    batchCount += 1
    longestBatch = max(longestBatch * Self.weightOfOlder, duration)
  }

  /// Items a second; nil until enough was seen.
  var itemsPerSecond: Double? {
    guard batchCount >= Self.leastBatchCount, secondsSeen >= Self.leastSeconds, items > 0,
      seconds > 0
    else { return nil }
    return items / seconds
  }

  /// How long `itemCount` more items will take; nil until enough was seen.
  func timeRemaining(for itemCount: Int) -> Duration? {
    itemsPerSecond.map { .seconds(Double(max(0, itemCount)) / $0) }
  }
}
