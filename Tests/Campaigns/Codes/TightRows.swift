internal import EmbeddingTestSupport

/// Rows and a query for which the inequality of Cauchy and Schwarz is an equation, under the basis of
/// unit vectors: what the high nibbles leave out is parallel to the query, and so is what the first
/// stage does not read.
///
/// The largest component is 127.5/128 in each segment, so that the scale is 1/128 and high nibbles
/// stand for (h - 7.5)/8, exactly. Every other component is such a value and a little more in the
/// direction of the query, whose components are all 1 or -1. All are exact in Float16.
struct TightRows {
  private let dimension: Int

  init(_ dimension: Int) { self.dimension = dimension }

  func query() -> [Float] { (0..<dimension).map { $0 % 3 == 0 ? -1 : 1 } }

  func vectors(_ count: Int, _ generator: inout SeededGenerator) -> [[Float]] {
    let query = query()
    return (0..<count).map { number in
      // In units of 1/1,024; below 1/16, so that the nibble stays.
      let more = Float(Int.random(in: 0...40, using: &generator)) / 1_024
      var vector = (0..<dimension).map { index in
        (Float(Int.random(in: 2...13, using: &generator)) - 7.5) / 8 + more * query[index]
      }
      for index in stride(from: 0, to: dimension, by: 64) { vector[index] = 127.5 / 128 }
      return vector
    }
  }
}
