internal import EmbeddingFiles

/// Two encoders whose vectors can be compared: one for the items that are stored, one for what is
/// searched for, such as CLIP's image and text encoders.
public struct EncoderPair<Item: EmbeddingEncoder, Query: EmbeddingEncoder>: Sendable {
  /// Encodes what is stored.
  public let item: Item
  /// Encodes what is searched for.
  public let query: Query

  /// Joins two encoders of one space.
  ///
  /// - Throws: `StoreError` with `.spaceMismatch`, naming both spaces, when theirs differ.
  public init(item: Item, query: Query) throws(StoreError) {
    guard item.space == query.space else {
      throw StoreError(
        .spaceMismatch,
        "The encoders do not share a space: items are encoded by \(item.space.description.summary)"
          + ", queries by \(query.space.description.summary).")
    }
    self.item = item
    self.query = query
  }

  /// The space of both.
  public var space: EmbeddingSpace { item.space }
}
