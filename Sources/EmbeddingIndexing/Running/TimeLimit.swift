internal import Synchronization

/// Work took longer than it may.
struct TimedOut: Error {}

/// Runs work and cancels it when it takes longer than `limit`, from its beginning to its end: waiting
/// for a thread, before or after, is not part of it.
///
/// Waits for the work to end then: what ignores its cancellation can not be stopped.
///
/// - Throws: `TimedOut`; otherwise what the work throws.
func withTimeLimit<Value: Sendable>(
  _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let cancellation = LateCancellation()
  let task = Task {
    let deadline = Deadlines.shared.add(.now + limit) { cancellation.cancel() }
    let result: Result<Value, any Error>
    do {
      result = .success(try await work())
    } catch {
      result = .failure(error)
    }
    guard Deadlines.shared.remove(deadline) else { throw TimedOut() }
    return try result.get()
  }
  cancellation.set { task.cancel() }
  return try await withTaskCancellationHandler {
    try await task.value
  } onCancel: {
    task.cancel()
  }
}

/// Cancels what may not be known yet when it is cancelled.
private final class LateCancellation: Sendable {
  private struct State {
    var isCancelled = false
    var cancelWork: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  func set(_ cancelWork: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.cancelWork = cancelWork
      return state.isCancelled
    }
    if isCancelled { cancelWork() }
  }

  func cancel() {
    let cancelWork = state.withLock { state in
      state.isCancelled = true
      return state.cancelWork
    }
    cancelWork?()
  }
}
