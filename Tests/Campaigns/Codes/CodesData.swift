internal import EmbeddingTestSupport

/// Kinds of rows that bounds have to hold for.
enum CodesData: CaseIterable {
  /// Without any structure: nothing can be skipped.
  case isotropic
  /// In clusters, most of their length in few directions: what encoders make.
  case clustered
  /// Of a handful of vectors, and near copies of them: ties everywhere.
  case duplicated
  /// Small integers: scores are exact, many equal.
  case integers
  /// All of one direction but for a little.
  case crowded
  /// Lengths from 10⁻⁴ to 10⁴.
  case lengths
  /// Components around the smallest that Float16 has.
  case tiny
  /// Components around the largest.
  case huge
  /// Zeros but for few components.
  case sparse

  var isNormalized: Bool {
    switch self {
    case .lengths, .tiny, .huge: false
    default: true
    }
  }

  func vectors(
    _ count: Int, dimension: Int, _ generator: inout SeededGenerator
  ) -> [[Float]] {
    (0..<count).map { number in vector(number, dimension, &generator) }
  }

  private func vector(
    _ number: Int, _ dimension: Int, _ generator: inout SeededGenerator
  ) -> [Float] {
    func uniform() -> [Float] {
      (0..<dimension).map { _ in Float.random(in: -1...1, using: &generator) }
    }
    switch self {
    case .isotropic: return uniform()
    case .clustered:
      return clustered(Int.random(in: 0..<37, using: &generator), dimension, 0.5, &generator)
    case .duplicated:
      var vector = clustered(Int.random(in: 0..<11, using: &generator), dimension, 0, &generator)
      if number % 3 == 0 { vector[number % dimension] += 1e-3 }
      return vector
    case .integers: return RandomVectors.integers(dimension: dimension, using: &generator)
    case .crowded: return uniform().enumerated().map { ($0 == 3 ? 50 : 0) + $1 }
    case .lengths:
      let length = [1e-4, 1e-2, 1, 100, 1e4][Int.random(in: 0..<5, using: &generator)] as Float
      return uniform().map { $0 * length }
    case .tiny: return uniform().map { $0 * 0x1p-23 }
    case .huge: return uniform().map { $0 * 65_000 }
    case .sparse:
      var vector = [Float](repeating: 0, count: dimension)
      for _ in 0..<3 {
        vector[Int.random(in: 0..<dimension, using: &generator)] =
          Float.random(in: 0.1...1, using: &generator)
      }
      return vector
    }
  }

  /// A centre whose components fall off, with noise that falls off too.
  private func clustered(
    _ cluster: Int, _ dimension: Int, _ noise: Float, _ generator: inout SeededGenerator
  ) -> [Float] {
    var centre = SeededGenerator(seed: UInt64(cluster + 1))
    return (0..<dimension).map { index in
      let offset = noise > 0 ? Float.random(in: -noise...noise, using: &generator) : 0
      return (Float.random(in: -1...1, using: &centre) + offset) / Float(1 + index / 8)
    }
  }
}
