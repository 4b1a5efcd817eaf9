/// Something that turns items into vectors of one space: an image model, a text model.
///
/// (`Encoder` would hide the standard library's protocol of that name from every file that imports
/// this module.)
public protocol EmbeddingEncoder<Input>: Sendable {
  /// What is encoded, such as a `String` or an image.
  associatedtype Input

  /// The space of the vectors it produces.
  var space: EmbeddingSpace { get }

  /// One vector for each input, in their order; of any length, and not yet checked.
  ///
  /// Throws when an input can not be encoded; nothing is put in its place. A wrong number of vectors is
  /// noticed. One that is left out for one input and made up for by another is not: the vectors between
  /// them would be stored under wrong keys. Should end early when its task is cancelled.
  func encode(_ inputs: [Input]) async throws -> [[Float]]
}

extension EmbeddingEncoder {
  /// The vectors of a batch, checked: as many as there are inputs, each with the dimension of the
  /// space.
  ///
  /// - Throws: `StoreError` with `.encoderFailed` when the encoder gives back something else, and
  ///   what `encode` throws.
  public func embeddings(of inputs: [Input]) async throws -> [Embedding] {
    let vectors = try await encode(inputs)
    guard vectors.count == inputs.count else {
      throw StoreError(
        .encoderFailed,
        "The encoder of \"\(space.model)\" gave \(vectors.count) vectors for \(inputs.count) "
          + "inputs. Nothing of this batch can be told apart.")
    }
    guard let odd = vectors.firstIndex(where: { $0.count != space.dimension }) else {
      return vectors.map { Embedding($0, in: space) }
    }
    throw StoreError(
      .encoderFailed,
      "The encoder of \"\(space.model)\" gave \(vectors[odd].count) components for input \(odd); "
        + "its space has \(space.dimension).")
  }

  /// The vector of one input, checked; see `embeddings(of:)`.
  public func embedding(of input: Input) async throws -> Embedding {
    let embeddings = try await embeddings(of: [input])
    guard let embedding = embeddings.first else {
      throw StoreError(.encoderFailed, "The encoder of \"\(space.model)\" gave no vector.")
    }
    return embedding
  }
}
