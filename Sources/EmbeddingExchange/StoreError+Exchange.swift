public import EmbeddingStores

extension StoreError.Code {
  /// A file does not follow its own format, contradicts itself, or was cut short.
  public static let malformedFile = Self(rawValue: "malformedFile")
  /// A file holds something that can not become rows: another element type, order or shape.
  public static let unsupportedElements = Self(rawValue: "unsupportedElements")
  /// There are not as many keys as vectors.
  public static let countMismatch = Self(rawValue: "countMismatch")
}

extension StoreError {
  /// The same error, with the place in a file that it is about in front.
  func located(_ place: String, in path: String) -> StoreError {
    var error = self
    error.message = "\(place): \(message)"
    error.path = path
    return error
  }
}
