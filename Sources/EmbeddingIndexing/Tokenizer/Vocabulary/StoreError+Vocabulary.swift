public import EmbeddingStores

extension StoreError.Code {
  /// A tokenizer's vocabulary file is damaged, truncated or of another model.
  public static let invalidVocabulary = Self(rawValue: "invalidVocabulary")
}
