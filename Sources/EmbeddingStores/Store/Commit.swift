internal import EmbeddingFiles

/// What a write did.
public struct Commit: Equatable, Sendable {
  /// The number of its last change, or of the last one before when nothing changed.
  public let changeNumber: UInt64
  /// Rows put, inserted or updated.
  public let putCount: Int
  /// Rows removed.
  public let removedCount: Int

  init(_ summary: CommitSummary) {
    changeNumber = summary.changeNumber
    putCount = summary.putCount
    removedCount = summary.removedCount
  }
}
