internal import EmbeddingStores

/// What a run asks before each batch: is it paused, does the device bear it, is there time?
extension IndexingRun {
  func waitForPermission() async throws(RunEnded) {
    try await waitWhilePaused()
    try await obeyThrottle()
    try clock.checkMayGoOn()
    // The first batch has nothing to go by.
    guard clock.hasTime(for: pace.longestBatch) else { throw RunEnded(reason: .timeBudgetSpent) }
  }

  private func waitWhilePaused() async throws(RunEnded) {
    guard indexer.isPaused else { return }
    let began = ContinuousClock.now
    if let remaining = clock.remaining {
      try? await withTimeLimit(max(.zero, remaining)) { [gate = indexer.gate] in
        await gate.pass()
      }
    } else {
      await indexer.gate.pass()
    }
    // A pause is not part of the pace.
    batchStarted = batchStarted.advanced(by: began.duration(to: .now))
  }

  private func obeyThrottle() async throws(RunEnded) {
    while true {
      switch await indexer.throttle.decision(processed: progress.processed) {
      case .proceed(let rest):
        try await sleep(rest)
        return
      case .hold(let duration):
        try await sleep(duration)
      case .stop:
        throw RunEnded(reason: .throttled)
      }
    }
  }

  private func sleep(_ duration: Duration) async throws(RunEnded) {
    guard duration > .zero else { return }
    try? await Task.sleep(for: clock.shortened(duration))
    try clock.checkMayGoOn()
  }
}
