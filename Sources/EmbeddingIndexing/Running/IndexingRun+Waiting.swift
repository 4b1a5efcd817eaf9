internal import EmbeddingStores

/// What a run asks before each batch: is it paused, does the device bear it, is there time?
extension IndexingRun {
  /// Waits until the next batch may begin; answers how long it rested, as part of the pace.
  func waitForPermission() async throws(RunEnded) -> Duration {
    var rest = Duration.zero
    repeat {
      try await waitWhilePaused()
      rest = try await obeyThrottle()
    } while indexer.isPaused
    // The first batch has nothing to go by.
    guard clock.hasTime(for: longestBatch) else { throw RunEnded(reason: .timeBudgetSpent) }
    return rest
  }

  func waitWhilePaused() async throws(RunEnded) {
    while indexer.isPaused {
      await indexer.gate.pass()
      try clock.checkMayGoOn()
    }
    try clock.checkMayGoOn()
  }

  /// Returns when the throttle lets the next batch begin, with the rest that it asked for.
  private func obeyThrottle() async throws(RunEnded) -> Duration {
    while true {
      try clock.checkMayGoOn()
      switch await indexer.throttle.decision(processed: progress.processed) {
      case .proceed(let rest):
        guard rest > .zero else { return .zero }
        try await pause(for: rest)
        return rest.bounded
      case .hold(let duration):
        try await pause(for: max(duration, .milliseconds(10)))
      case .stop:
        throw RunEnded(reason: .throttled)
      }
    }
  }

  private func pause(for duration: Duration) async throws(RunEnded) {
    try? await Task.sleep(for: duration.bounded)
    try clock.checkMayGoOn()
  }
}
