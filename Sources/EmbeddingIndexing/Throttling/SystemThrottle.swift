internal import Synchronization

/// Slows a run down while the device is hot, saves power, or is busy with other work.
///
/// The system is asked once every 100 items by default, and what it said holds until then. Give each
/// indexer one of its own.
///
/// - On Apple platforms: a serious thermal state and low-power mode rest for a second before each
///   batch; a critical thermal state holds the run for ten.
/// - On Linux: a load average of the last minute above twice the number of processors rests for a
///   second before each batch.
public final class SystemThrottle: IndexingThrottle {
  private struct Answer {
    /// Holds until something was asked.
    var decision = ThrottleDecision.hold(.zero)
    var askedAt = 0
  }

  private let itemInterval: Int
  private let condition: @Sendable () -> SystemCondition
  private let answer = Mutex(Answer())

  /// Makes a throttle that asks the system once every `itemInterval` items, at least 1.
  public convenience init(itemInterval: Int = 100) {
    self.init(itemInterval: itemInterval) { SystemCondition.current }
  }

  init(itemInterval: Int, condition: @escaping @Sendable () -> SystemCondition) {
    self.itemInterval = max(1, itemInterval)
    self.condition = condition
  }

  /// What the system's condition asks for.
  public func decision(processed: Int) async -> ThrottleDecision {
    answer.withLock { answer in
      // A new run counts from 0 again.
      let isDue =
        processed < answer.askedAt || processed - answer.askedAt >= itemInterval
        || answer.decision.isHold
      if isDue {
        answer.decision = condition().decision
        answer.askedAt = processed
      }
      return answer.decision
    }
  }
}

/// What a device can bear.
enum SystemCondition: Sendable {
  case good, strained, critical

  var decision: ThrottleDecision {
    switch self {
    case .good: .proceed()
    case .strained: .proceed(after: .seconds(1))
    case .critical: .hold(.seconds(10))
    }
  }
}

extension ThrottleDecision {
  fileprivate var isHold: Bool {
    if case .hold = self { true } else { false }
  }
}
