internal import EmbeddingStores

/// The mean of vectors that are first scaled to length 1, itself scaled to length 1; in Float64.
struct MeanDirection {
  /// What a store takes for no direction.
  private static let shortestLength = 1e-6

  private var sum: [Double]
  private var count = 0

  init(dimension: Int) {
    sum = [Double](repeating: 0, count: max(dimension, 0))
  }

  /// Adds the vector of a phrasing, which has the dimension of the mean.
  mutating func add(_ vector: [Float], of phrasing: String) throws(StoreError) {
    guard vector.allSatisfy(\.isFinite) else {
      throw StoreError(
        .notFinite,
        "The vector of the phrasing \"\(phrasing.prefix(40))\" has an infinite or undefined "
          + "component. Encoding failed: check the encoder.")
    }
    let length = Self.length(vector.map(Double.init))
    guard length >= Self.shortestLength else {
      throw StoreError(
        .zeroVector,
        "The vector of the phrasing \"\(phrasing.prefix(40))\" has length \(length) and so no "
          + "direction. The encoder knows nothing of it: phrase it in other words.")
    }
    for (index, component) in zip(sum.indices, vector) {
      sum[index] += Double(component) / length
    }
    count += 1
  }

  /// The mean of what was added for a query.
  func vector(of query: String) throws(StoreError) -> [Float] {
    let length = Self.length(sum)
    guard length >= Self.shortestLength * Double(max(count, 1)) else {
      throw StoreError(
        .zeroVector,
        "The vectors of the \(count) phrasings of \"\(query.prefix(40))\" cancel out, so their "
          + "mean has no direction. Give fewer phrasings, or such that mean the same.")
    }
    return sum.map { Float($0 / length) }
  }

  private static func length(_ vector: [Double]) -> Double {
    vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
  }
}
