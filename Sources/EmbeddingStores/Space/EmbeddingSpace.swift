internal import EmbeddingFiles

/// What makes vectors comparable: the model that produced them, its revision, their dimension, and
/// whether they are scaled to length 1.
///
/// A store belongs to one space for ever. Opening it, putting into it or searching it with another
/// one is an error, so that vectors of different models never meet.
public struct EmbeddingSpace: Hashable, Sendable, Codable {
  /// How vectors are prepared and compared.
  public enum Normalization: String, Hashable, Sendable, Codable {
    /// Vectors are divided by their length when they are put; a score is the cosine, in [-1, 1].
    case unitLength
    /// Vectors keep their length, rounded to Float16; a score is the inner product.
    case none
  }

  /// The model's name, 1 to 1,024 UTF-8 bytes. Compared byte for byte: `" m"` is not `"m"`.
  public var model: String
  /// The model's revision, at most 256 UTF-8 bytes. Compared byte for byte.
  public var revision: String
  /// Components of a vector, 1 to 4,096.
  public var dimension: Int
  /// How vectors are prepared and compared.
  public var normalization: Normalization

  /// Names a space. Values out of range are refused when a store is opened with it.
  public init(
    model: String, revision: String = "", dimension: Int,
    normalization: Normalization = .unitLength
  ) {
    self.model = model
    self.revision = revision
    self.dimension = dimension
    self.normalization = normalization
  }

  /// Whether all four properties are equal, names by bytes.
  public static func == (first: EmbeddingSpace, second: EmbeddingSpace) -> Bool {
    first.description == second.description
  }

  /// Hashes what `==` compares, but for the revision.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(dimension)
    hasher.combine(normalization)
    for byte in model.utf8 { hasher.combine(byte) }
  }
}

extension EmbeddingSpace {
  init(_ description: SpaceDescription) {
    self.init(
      model: description.model, revision: description.revision,
      dimension: description.dimension,
      normalization: description.isNormalized ? .unitLength : .none)
  }

  var description: SpaceDescription {
    SpaceDescription(
      model: model, revision: revision, dimension: dimension,
      isNormalized: normalization == .unitLength)
  }

  /// The space in words, for messages.
  package var summary: String { description.summary }

  func checked() throws(StoreError) -> SpaceDescription {
    guard FormatLimits.dimension.contains(dimension) else {
      throw StoreError(
        .invalidArgument, "A space has 1 to 4,096 dimensions, not \(dimension).")
    }
    guard FormatLimits.modelByteCount.contains(model.utf8.count),
      FormatLimits.revisionByteCount.contains(revision.utf8.count)
    else {
      throw StoreError(
        .invalidArgument,
        "A space's model has 1 to 1,024 UTF-8 bytes and its revision at most 256; these have "
          + "\(model.utf8.count) and \(revision.utf8.count).")
    }
    return description
  }

  func mismatch(_ other: EmbeddingSpace) -> StoreError {
    StoreError(
      .spaceMismatch,
      "The vector belongs to \(other.description.summary), the store to \(description.summary). "
        + "Encode it with the store's model.")
  }
}
