/// The time that a run has. It follows a clock that never jumps, whatever happens to the calendar.
struct RunClock {
  private let started: ContinuousClock.Instant
  private let deadline: ContinuousClock.Instant?

  /// A part of the budget is kept for the last commit and for ending.
  private static let shareKept = 0.05
  private static let mostKept = Duration.seconds(1)

  init(started: ContinuousClock.Instant, budget: Duration?) {
    self.started = started
    deadline = budget.map { started + $0 - min($0 * Self.shareKept, Self.mostKept) }
  }

  /// What is left of the budget; nil without one.
  var remaining: Duration? {
    deadline.map { ContinuousClock.now.duration(to: $0) }
  }

  /// Whether work that may take `duration` would be done in time.
  func hasTime(for duration: Duration) -> Bool {
    remaining.map { $0 > duration } ?? true
  }

  /// Ends the run when it was cancelled or has no time left.
  func checkMayGoOn() throws(RunEnded) {
    guard !Task.isCancelled else { throw .cancelled }
    guard hasTime(for: .zero) else { throw RunEnded(reason: .timeBudgetSpent) }
  }

  /// The shorter of `limit` and what is left.
  func shortened(_ limit: Duration) -> Duration {
    remaining.map { max(.zero, min($0, limit)) } ?? limit
  }
}
