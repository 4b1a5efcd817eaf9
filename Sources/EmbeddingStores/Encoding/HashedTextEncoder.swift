/// A small text encoder without a model: words and their parts are hashed into the components of a
/// vector, so that texts which share words, or parts of words, are close.
///
/// For trials, tests and previews: it needs no download and always gives the same vector, on every
/// platform. It knows spelling and not meaning; use a real model in an app.
///
/// Every word is lower-cased and framed by spaces; its runs of 3, 4 and 5 Unicode scalars and the
/// word as a whole add +1 or -1 to a component; a hash chooses both
/// (feature hashing: Weinberger et al., 2009, arXiv:0902.2206).
public struct HashedTextEncoder: EmbeddingEncoder {
  /// Its space: model `"hashed-n-grams"`, revision `"1"`.
  public let space: EmbeddingSpace

  /// Makes an encoder of `dimension` components, 1 to 4,096.
  ///
  /// - Throws: `.invalidArgument` for another dimension.
  public init(dimension: Int = 256) throws(StoreError) {
    space = EmbeddingSpace(model: "hashed-n-grams", revision: "1", dimension: dimension)
    _ = try space.checked()
  }

  /// One vector for each text. A text without a letter or digit has a vector of length 0, which a
  /// store refuses.
  public func encode(_ inputs: [String]) async throws -> [[Float]] {
    inputs.map(vector)
  }

  private func vector(_ text: String) -> [Float] {
    var vector = [Float](repeating: 0, count: space.dimension)
    for word in text.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
      let scalars = Array(" \(word) ".unicodeScalars)
      add(scalars[...], to: &vector)
      for length in 3...5 where length < scalars.count {
        for start in 0...scalars.count - length {
          add(scalars[start..<start + length], to: &vector)
        }
      }
    }
    return vector
  }

  private func add(_ gram: ArraySlice<Unicode.Scalar>, to vector: inout [Float]) {
    // FNV-1a over the scalars' values: the remainder chooses the component, bit 40 the sign.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for scalar in gram {
      hash = (hash ^ UInt64(scalar.value)) &* 0x0000_0100_0000_01b3
    }
    hash ^= hash >> 32
    vector[Int(hash % UInt64(space.dimension))] += hash & (1 << 40) == 0 ? 1 : -1
  }
}
