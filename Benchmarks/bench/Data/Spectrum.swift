/// How the variance of real embeddings is spread over directions: of 384, the first 64, 128 and
/// 256 hold 57 %, 78 % and 96 % of it.
enum Spectrum {
  /// The variance per direction at these shares of all directions, straight lines between them;
  /// chosen so that the sums come out as above.
  private static let knots: [(share: Float, density: Float)] = [
    (0, 5.2), (1 / 6, 1.64), (1 / 3, 0.88), (2 / 3, 0.2), (1, 0.04),
  ]

  /// Falling variances whose sum is `total`.
  static func variances(dimension: Int, total: Float) -> [Float] {
    let densities = (0..<dimension).map { density(at: (Float($0) + 0.5) / Float(dimension)) }
    let sum = densities.reduce(0, +)
    return densities.map { $0 * total / sum }
  }

  private static func density(at share: Float) -> Float {
    for (left, right) in zip(knots, knots.dropFirst()) where share <= right.share {
      let position = (share - left.share) / (right.share - left.share)
      return left.density + position * (right.density - left.density)
    }
    return knots[knots.count - 1].density
  }
}
