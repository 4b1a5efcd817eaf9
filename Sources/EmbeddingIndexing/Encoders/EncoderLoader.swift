public import EmbeddingStores

/// An encoder that is loaded when there is work for it.
///
/// Loading a model may take as long as encoding a thousand items, so that a run which finds nothing
/// new should not do it. A run loads the encoder once and lets go of it at its end.
public struct EncoderLoader<Encoder: EmbeddingEncoder>: Sendable {
  /// The space of the encoder, known without loading it.
  public let space: EmbeddingSpace
  private let load: @Sendable () async throws -> Encoder

  /// Loads with `load` an encoder of `space`.
  public init(space: EmbeddingSpace, load: @escaping @Sendable () async throws -> Encoder) {
    self.space = space
    self.load = load
  }

  /// Gives an encoder that is in memory already.
  public init(_ encoder: Encoder) {
    self.init(space: encoder.space) { encoder }
  }

  /// Loads the encoder and checks its space.
  ///
  /// - Throws: What loading throws; `StoreError` with `.spaceMismatch` for an encoder of another
  ///   space than was said.
  public func encoder() async throws -> Encoder {
    let encoder = try await load()
    guard encoder.space == space else {
      throw StoreError(
        .spaceMismatch,
        "The encoder that was loaded is of \(encoder.space.summary), not of \(space.summary) as was said. Vectors "
          + "of different spaces can not be compared; load the other model.")
    }
    return encoder
  }
}
