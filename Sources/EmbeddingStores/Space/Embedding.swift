/// A vector that carries its space, as encoders produce it.
public struct Embedding: Hashable, Sendable {
  /// `space.dimension` components.
  public var vector: [Float]
  /// What the vector may be compared with.
  public var space: EmbeddingSpace

  /// Joins a vector and its space. They are checked against each other when they are used.
  public init(_ vector: [Float], in space: EmbeddingSpace) {
    self.vector = vector
    self.space = space
  }
}
