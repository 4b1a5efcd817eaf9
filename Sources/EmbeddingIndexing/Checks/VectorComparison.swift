internal import EmbeddingStores

/// How vectors of a space are compared; in Float64.
struct VectorComparison {
  /// What a store takes for no direction.
  static let shortestLength = 1e-6

  private let isNormalized: Bool

  init(_ space: EmbeddingSpace) {
    isNormalized = space.normalization == .unitLength
  }

  /// 0 for equal vectors, at most 2 for unit ones; infinite for what can not be compared.
  ///
  /// It is |a - b|² / 2|a||b|. For vectors of length 1, which a space that normalises makes of
  /// all, that is 1 minus their cosine; for others it grows with the difference in length too.
  func distance(_ first: [Float], _ second: [Float]) -> Double {
    let lengths = (Self.length(first), Self.length(second))
    guard first.count == second.count, lengths.0.isFinite, lengths.1.isFinite,
      lengths.0 >= Self.shortestLength, lengths.1 >= Self.shortestLength
    else { return .infinity }
    let divisors = isNormalized ? lengths : (1, 1)
    let squares = zip(first, second).reduce(0.0) { sum, pair in
      let difference = Double(pair.0) / divisors.0 - Double(pair.1) / divisors.1
      return sum + difference * difference
    }
    return isNormalized ? squares / 2 : squares / lengths.0 / lengths.1 / 2
  }

  /// What a search would rank by.
  func score(_ first: [Float], _ second: [Float]) -> Double {
    let product = zip(first, second).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
    return isNormalized ? product / Self.length(first) / Self.length(second) : product
  }

  static func length(_ vector: [Float]) -> Double {
    vector.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
  }
}
