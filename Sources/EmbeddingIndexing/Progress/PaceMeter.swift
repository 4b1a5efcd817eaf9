internal import Foundation

/// Estimates how fast a run goes from the durations of its batches.
///
/// The rate is a mean over all batches in which older ones count for less, in items as in seconds: by
/// a factor of e for every ten seconds, or for every ten batches when those take longer. One slow batch,
/// such as one that compacts the store, moves it a little; a lasting change moves it for good.
struct PaceMeter {
  private var items = 0.0
  private var seconds = 0.0
  private var batchCount = 0
  private var elapsed = Duration.zero

  private static let memorySeconds = 10.0
  private static let memoryBatchCount = 10.0
  private static let leastBatchCount = 3
  private static let leastElapsed = Duration.milliseconds(200)

  /// Notes a batch and the time that it took.
  mutating func note(itemCount: Int, took duration: Duration) {
    let took = max(0, duration / .seconds(1))
    let memory = max(Self.memorySeconds, Self.memoryBatchCount * took)
    let weightOfOlder = exp(-took / memory)
    items = items * weightOfOlder + Double(itemCount)
    seconds = seconds * weightOfOlder + took
    batchCount += 1
    elapsed += max(.zero, duration)
  }

  /// Items a second; nil until enough was seen.
  var itemsPerSecond: Double? {
    guard batchCount >= Self.leastBatchCount, elapsed >= Self.leastElapsed, items > 0, seconds > 0
    else { return nil }
    return items / seconds
  }

  /// How long `itemCount` more items will take; nil until enough was seen.
  func timeRemaining(for itemCount: Int) -> Duration? {
    itemsPerSecond.map { .seconds(Double(max(0, itemCount)) / $0) }
  }
}
