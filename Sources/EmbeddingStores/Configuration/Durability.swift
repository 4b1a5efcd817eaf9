/// What an acknowledged write survives.
public enum Durability: Sendable {
  /// The process being killed at any moment. After a power failure the store opens with the
  /// commits up to some moment, possibly without the last ones.
  case processKill
  /// As `processKill`; and later commits never survive a power failure that earlier ones did not.
  case orderedPowerLoss
  /// A power failure: the commit is on the medium when the call returns. Costs a full sync, which
  /// takes milliseconds.
  case powerLoss
}
