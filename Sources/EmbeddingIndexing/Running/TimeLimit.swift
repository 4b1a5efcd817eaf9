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
      try await Task.sleep(for: limit)
      throw TimedOut()
    }
    guard let value = try await group.next() else { throw CancellationError() }
    return value
  }
}
