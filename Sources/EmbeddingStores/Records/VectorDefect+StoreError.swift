internal import EmbeddingKernels

extension StoreError {
  /// The error for a vector that can not be stored or searched for.
  init(_ defect: VectorDefect, key: String?) {
    let subject = key.map { "The vector of \"\($0)\"" } ?? "The query vector"
    switch defect {
    case .wrongDimension(let expected, let found):
      self.init(
        .wrongDimension,
        "\(subject) has \(found) components; the store's space has \(expected). Use the encoder "
          + "of the store's space.", key: key)
    case .notFinite(let component):
      self.init(
        .notFinite,
        "\(subject) has an infinite or undefined component at \(component). Encoding failed: "
          + "store nothing for this item and try again later.", key: key)
    case .zeroLength(let length):
      self.init(
        .zeroVector,
        "\(subject) has length \(length) and so no direction. Encoding failed: store nothing for "
          + "this item and try again later.", key: key)
    case .outOfRange(let component):
      self.init(
        .outOfRange,
        "\(subject) has a component beyond 65,504 at \(component), which Float16 can not hold. "
          + "Scale the vectors down, or use a normalised space.", key: key)
    }
  }
}
