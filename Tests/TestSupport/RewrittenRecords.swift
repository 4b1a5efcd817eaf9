package import EmbeddingStores

/// Records of which each rewriting raises the version of some: a record follows from its number and
/// its version, so that a torn or a foreign row is recognised.
package enum RewrittenRecords {
  /// Components are whole numbers that a row keeps exactly.
  package static let space = EmbeddingSpace(
    model: "worker", dimension: 256, normalization: .none)
  package static let chunkCount = 32

  package static func record(_ number: Int, version: Int) -> Record {
    Record(key: "\(number)", vector: vector(number, version: version), text: "\(version)")
  }

  package static func vector(_ number: Int, version: Int) -> [Float] {
    var vector = [Float](repeating: 0, count: space.dimension)
    for index in vector.indices {
      vector[index] = Float((number &* 31 &+ version &* 17 &+ index &* 7) % 33 - 16)
    }
    vector[0] = Float(number % 1_024)
    vector[1] = Float(number / 1_024)
    vector[2] = Float(version % 1_024)
    vector[3] = Float(version / 1_024 % 1_024)
    return vector
  }

  /// What the commit of a number stores: every `chunkCount` commits write all `count` records.
  package static func commit(_ commit: Int, of count: Int) -> [Record] {
    stride(from: commit % chunkCount, to: count, by: chunkCount).map {
      record($0, version: commit / chunkCount)
    }
  }
}
