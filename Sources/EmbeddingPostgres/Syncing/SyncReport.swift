/// How far a push or a pull is.
public struct SyncProgress: Equatable, Sendable {
  /// Rows that were sent or received and are committed on the other side.
  public internal(set) var completedCount = 0
  /// Rows that were to be sent when the push began; nil for a pull, which learns it at the end.
  public internal(set) var totalCount: Int?
  /// Rows that were removed on the other side.
  public internal(set) var removedCount = 0
}
