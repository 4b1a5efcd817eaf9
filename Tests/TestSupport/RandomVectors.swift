/// Vectors that a seed determines.
package enum RandomVectors {
  /// Components uniform in -1...1.
  package static func uniform(
    _ count: Int, dimension: Int, using generator: inout SeededGenerator
  ) -> [[Float]] {
    (0..<count).map { _ in vector(dimension: dimension, using: &generator) }
  }

  /// Vectors close to one of `clusterCount` centres, so that many scores are nearly equal.
  package static func clustered(
    _ count: Int, clusterCount: Int, dimension: Int, using generator: inout SeededGenerator
  ) -> [[Float]] {
    let centres = uniform(clusterCount, dimension: dimension, using: &generator)
    return (0..<count).map { index in
      centres[index % clusterCount].map { $0 + Float.random(in: -0.01...0.01, using: &generator) }
    }
  }

  /// Vectors of which most are equal to others, so that most scores are tied.
  package static func duplicated(
    _ count: Int, distinctCount: Int, dimension: Int, using generator: inout SeededGenerator
  ) -> [[Float]] {
    let distinct = uniform(distinctCount, dimension: dimension, using: &generator)
    return (0..<count).map { _ in distinct[Int.random(in: 0..<distinctCount, using: &generator)] }
  }

  /// Whole numbers from -8 to 8, not all zero: their products and sums are exact in any order, so
  /// that scores can be compared for equality.
  package static func integers(
    dimension: Int, using generator: inout SeededGenerator
  ) -> [Float] {
    var vector = (0..<dimension).map { _ in Float(Int.random(in: -8...8, using: &generator)) }
    if vector.allSatisfy({ $0 == 0 }) { vector[0] = 1 }
    return vector
  }

  package static func vector(
    dimension: Int, using generator: inout SeededGenerator
  ) -> [Float] {
    (0..<dimension).map { _ in Float.random(in: -1...1, using: &generator) }
  }

  /// The vector that a number stands for, the same in every process.
  package static func vector(number: Int, dimension: Int) -> [Float] {
    var generator = SeededGenerator(seed: UInt64(truncatingIfNeeded: number))
    return vector(dimension: dimension, using: &generator)
  }
}
