/// A row that a search found.
public struct Match: Hashable, Sendable {
  /// The record's key.
  public let key: String
  /// Which part of the item it is; the best one when parts are grouped.
  public let part: UInt16
  /// Larger is closer: the cosine in a normalised space, else the inner product.
  public let score: Float
}
