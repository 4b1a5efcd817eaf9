internal import Synchronization

/// Where a run waits while it is paused.
final class PauseGate: Sendable {
  private struct State {
    var isPaused = false
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextNumber = 0
  }

  private let state = Mutex(State())

  var isPaused: Bool {
    get { state.withLock { $0.isPaused } }
    set {
      let waiting = state.withLock { state in
        state.isPaused = newValue
        defer { if !newValue { state.waiting = [:] } }
        return newValue ? [] : Array(state.waiting.values)
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  /// Returns when the gate is open or the task is cancelled.
  func pass() async {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mayPass = state.withLock { state in
          guard state.isPaused, !Task.isCancelled else { return true }
          state.waiting[number] = continuation
          return false
        }
        if mayPass { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
  }
}
