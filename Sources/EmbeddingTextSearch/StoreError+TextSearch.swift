public import EmbeddingStores

extension StoreError.Code {
  /// The system's SQLite is built without FTS5.
  public static let textSearchUnavailable = Self(rawValue: "textSearchUnavailable")
}
