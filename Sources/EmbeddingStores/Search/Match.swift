internal import EmbeddingFiles

/// A row that a search found.
public struct Match: Hashable, Sendable {
  /// The record's key.
  public let key: String
  /// Which part of the item it is; the best one when parts are grouped.
  public let part: UInt16
  /// Larger is closer: the cosine in a normalised space, else the inner product.
  public let score: Float

  /// Whether both are the same row, keys compared by bytes, with the same score.
  public static func == (first: Match, second: Match) -> Bool {
    KeyOrder.areEqual(first.key, second.key) && first.part == second.part
      && first.score == second.score
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(Key(key))
    hasher.combine(part)
    hasher.combine(score)
  }
}
