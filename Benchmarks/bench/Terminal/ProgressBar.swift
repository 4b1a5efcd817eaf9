import EmbeddingIndexing
import Foundation
import Synchronization

/// Shows how far a run has come: on a terminal as a bar that is redrawn in place, elsewhere as a
/// line every few seconds.
final class ProgressBar: Sendable {
  private let isRedrawn: Bool
  private let interval: Duration
  private let lastShown = Mutex<ContinuousClock.Instant?>(nil)

  init(isRedrawn: Bool = Console.isWatched) {
    self.isRedrawn = isRedrawn
    interval = isRedrawn ? .milliseconds(100) : .seconds(5)
  }

  /// Shows a progress, unless another was shown a moment ago; the last one always.
  func show(_ progress: IndexingProgress) {
    guard progress.total > 0 else { return }
    let isLast = progress.end != nil
    let isDue = lastShown.withLock { last in
      let now = ContinuousClock.now
      if let last, !isLast, last.duration(to: now) < interval { return false }
      last = now
      return true
    }
    guard isDue else { return }
    let line = Self.line(progress)
    if isRedrawn {
      Console.redraw(isLast ? line + "\n" : line)
    } else {
      Console.progress(line)
    }
  }

  /// Counts and not only a bar: an estimate of the time is an estimate.
  private static func line(_ progress: IndexingProgress) -> String {
    let width = 20
    let full = width * progress.processed / max(1, progress.total)
    let bar = String(repeating: "#", count: full) + String(repeating: "-", count: width - full)
    var line = "[\(bar)] \(grouped(progress.processed)) of \(grouped(progress.total))"
    if progress.deferred + progress.failed > 0 {
      line += ", \(grouped(progress.deferred + progress.failed)) failed"
    }
    // At the end it would be the rate of the last batches, not that of the run.
    if progress.end == nil, let rate = progress.itemsPerSecond {
      line += ", \(Decimals.text(rate)) items/s"
    }
    if let rest = progress.estimatedTimeRemaining { line += ", \(time(rest)) left" }
    return line
  }

  private static func grouped(_ count: Int) -> String {
    count < 100 ? "\(count)" : Decimals.text(Double(count))
  }

  private static func time(_ duration: Duration) -> String {
    let seconds = Int(Stopwatch.seconds(duration).rounded(.up))
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3_600 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
  }
}
