/// How far a clustering has come. The completed steps never fall, and are all of them at the end.
public struct ClusteringProgress: Equatable, Sendable {
  /// Steps done: iterations, parts of a hierarchy, the last assignment. Jumps when an end comes early.
  public internal(set) var completedStepCount = 0
  /// Steps to do.
  public internal(set) var totalStepCount: Int
  /// Rows that changed their cluster in the last iteration; nil before the second.
  public internal(set) var changedRowCount: Int?
}
