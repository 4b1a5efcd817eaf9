internal import Synchronization

/// Many deadlines, nearly none of which is reached, watched by one sleeping task.
///
/// A task of its own for each would not do: a sleep that is cancelled keeps its timer, some 300
/// bytes, until the time it was to end at. At 10,000 items a second and a minute for each that comes
/// to 180 MB.
final class Deadlines: Sendable {
  static let shared = Deadlines()

  private struct Deadline {
    var time: ContinuousClock.Instant
    var pass: @Sendable () -> Void
  }

  private struct State {
    var pending: [Int: Deadline] = [:]
    var nextNumber = 0
    /// When the task that counts wakes up; others that sleep still were overtaken by it.
    var wakesAt: ContinuousClock.Instant?
  }

  private let state = Mutex(State())

  /// The number of deadlines that are neither removed nor passed.
  var count: Int { state.withLock { $0.pending.count } }

  /// Calls `pass`, on any thread, at `time`, unless the deadline is removed before. Answers with its
  /// number.
  func add(_ time: ContinuousClock.Instant, pass: @escaping @Sendable () -> Void) -> Int {
    let (number, isFirst) = state.withLock { state in
      state.nextNumber += 1
      state.pending[state.nextNumber] = Deadline(time: time, pass: pass)
      // A task that wakes up too early for what is left then sleeps on.
      let isFirst = state.wakesAt.map { time < $0 } ?? true
      if isFirst { state.wakesAt = time }
      return (state.nextNumber, isFirst)
    }
    if isFirst { wake(at: time) }
    return number
  }

  /// Forgets a deadline; false when it has passed.
  func remove(_ number: Int) -> Bool {
    state.withLock { $0.pending.removeValue(forKey: number) != nil }
  }

  private func wake(at time: ContinuousClock.Instant) {
    Task {
      try? await Task.sleep(until: time, clock: .continuous)
      passDeadlines(wokenAt: time)
    }
  }

  private func passDeadlines(wokenAt time: ContinuousClock.Instant) {
    let (passed, next) = state.withLock { state in
      guard state.wakesAt == time else { return ([Deadline](), ContinuousClock.Instant?.none) }
      let now = max(time, ContinuousClock.now)
      let passed = state.pending.filter { $0.value.time <= now }
      for number in passed.keys { state.pending[number] = nil }
      state.wakesAt = state.pending.values.map(\.time).min()
      return (Array(passed.values), state.wakesAt)
    }
    for deadline in passed { deadline.pass() }
    if let next { wake(at: next) }
  }
}
