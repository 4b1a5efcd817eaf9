/// Rows that are connected, each with some other of the group, by scores above a minimum.
public struct DuplicateGroup: Equatable, Sendable {
  /// Two members or more, of two keys or more, by key bytes and part.
  public let members: [RowIdentity]
  /// The member to keep: the first by the caller's preference.
  public let keeper: RowIdentity
  /// The smallest and the largest score of the pairs that connect the group.
  public let scores: ClosedRange<Float>
}
