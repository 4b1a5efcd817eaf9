/// Work took longer than it may.
struct TimedOut: Error {}

/// Runs work and cancels it when it takes longer than `limit`.
///
/// Waits for the work to end then: what ignores its cancellation can not be stopped.
///
/// - Throws: `TimedOut`; otherwise what the work throws.
func withTimeLimit<Value: Sendable>(
  _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    defer { group.cancelAll() }
    group.addTask { try await work() }
    group.addTask {
      try await sleepInSlices(for: limit.bounded)
      throw TimedOut()
    }
    guard let value = try await group.next() else { throw CancellationError() }
    return value
  }
}

/// Sleeps in short slices: the runtime keeps the timer of a sleep that was cancelled until its time,
/// which for thousands of loads with long limits adds up.
private func sleepInSlices(for duration: Duration) async throws {
  let deadline = ContinuousClock.now + duration
  while true {
    let rest = ContinuousClock.now.duration(to: deadline)
    guard rest > .zero else { return }
    try await Task.sleep(for: min(rest, .milliseconds(250)))
  }
}

extension Duration {
  /// Within 0 and a hundred years: clocks can not add up more.
  var bounded: Duration { min(max(self, .zero), .seconds(100 * 365 * 86_400)) }
}
