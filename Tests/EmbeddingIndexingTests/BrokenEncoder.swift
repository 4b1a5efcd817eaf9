import EmbeddingStores
import Synchronization

/// `HashedTextEncoder` with something done to its vectors.
final class BrokenEncoder: EmbeddingEncoder {
  /// What is done: gets the inputs, their vectors, and how many calls there were before.
  typealias Damage = @Sendable ([String], [[Float]], Int) throws -> [[Float]]

  let space: EmbeddingSpace
  private let whole: HashedTextEncoder
  private let damage: Damage
  private let callCount = Mutex(0)

  init(
    model: String = "broken", claimedDimension: Int = 64,
    normalization: EmbeddingSpace.Normalization = .unitLength, _ damage: @escaping Damage
  ) throws {
    space = EmbeddingSpace(
      model: model, dimension: claimedDimension, normalization: normalization)
    whole = try HashedTextEncoder(dimension: 64)
    self.damage = damage
  }

  func encode(_ inputs: [String]) async throws -> [[Float]] {
    let number = callCount.withLock { count in
      defer { count += 1 }
      return count
    }
    return try damage(inputs, try await whole.encode(inputs), number)
  }
}

/// What a broken encoder throws.
struct EncodingFailure: Error {}
