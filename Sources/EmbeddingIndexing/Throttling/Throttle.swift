/// Asked before every batch whether the device can bear it.
public protocol IndexingThrottle: Sendable {
  /// What to do before the next batch, of a run that has dealt with `processed` items.
  func decision(processed: Int) async -> ThrottleDecision
}

/// What a throttle says before a batch.
public enum ThrottleDecision: Equatable, Sendable {
  /// Start it, after a rest.
  case proceed(after: Duration = .zero)
  /// Do nothing, and ask again after this time, at least 10 ms.
  case hold(Duration)
  /// End the run; another one goes on later.
  case stop
}

/// Never slows a run down.
public struct NoThrottle: IndexingThrottle {
  /// Makes one.
  public init() {}

  /// Always to proceed.
  public func decision(processed: Int) async -> ThrottleDecision { .proceed() }
}
