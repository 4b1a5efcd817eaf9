/// The time that a run has. It follows a clock that never jumps, whatever happens to the calendar.
struct RunClock: Sendable {
  private let deadline: ContinuousClock.Instant?

  /// A part of the budget is kept for the last commit and for ending.
  private static let shareKept = 0.05
  private static let mostKept = Duration.seconds(1)

  /// Begins a run.
  init(budget: Duration?) {
    deadline = budget.map { budget in
      let budget = budget.bounded
      return .now + budget - min(budget * Self.shareKept, Self.mostKept)
    }
  }

  /// What is left of the budget; nil without one.
  var remaining: Duration? {
    deadline.map { ContinuousClock.now.duration(to: $0) }
  }

  /// Whether work that may take `duration` would be done in time.
  func hasTime(for duration: Duration) -> Bool {
    remaining.map { $0 > duration } ?? true
  }

  /// Ends the run when it has no time left or was cancelled.
  func checkMayGoOn() throws(RunEnded) {
    guard hasTime(for: .zero) else { throw RunEnded(reason: .timeBudgetSpent) }
    guard !Task.isCancelled else { throw .cancelled }
  }

  /// Runs work and cancels it when the budget is spent; `checkMayGoOn` then says why.
  func cancellingInTime<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value
  ) async -> Value {
    guard let remaining else { return await work() }
    let worker = Task { await work() }
    let timer = Task {
      try await Task.sleep(for: remaining.bounded)
      worker.cancel()
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await worker.value
    } onCancel: {
      worker.cancel()
    }
  }
}
