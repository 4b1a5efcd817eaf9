public import EmbeddingStores

extension StoreError.Code {
  /// A query rewriter gave back no phrasing of a query, or only blank ones.
  public static let noPhrasing = Self(rawValue: "noPhrasing")
}
