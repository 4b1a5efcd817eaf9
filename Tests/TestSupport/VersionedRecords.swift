package import EmbeddingStores

/// Records that all hold one version, in their vector as well as in their text, so that a torn or
/// a foreign row is recognised.
package enum VersionedRecords {
  package static let space = EmbeddingSpace(model: "worker", dimension: 8, normalization: .none)
  package static let count = 8

  package static func all(version: Int) -> [Record] {
    (0..<count).map { number in
      Record(
        key: "\(number)", vector: vector(number, version: version), text: "\(version)")
    }
  }

  package static func vector(_ number: Int, version: Int) -> [Float] {
    var generator = SeededGenerator(seed: UInt64(version * count + number))
    return RandomVectors.integers(dimension: space.dimension, using: &generator)
  }

  /// The version of a snapshot, or nil when it is not one version whole.
  package static func version(of snapshot: Snapshot) throws -> Int? {
    guard let text = try snapshot.record(for: "0")?.text, let version = Int(text) else {
      return nil
    }
    let expected = all(version: version)
    let matches = try snapshot.search(for: expected[0].vector, count: count)
    guard snapshot.count == count, Set(matches.map(\.key)) == Set(expected.map(\.key)) else {
      return nil
    }
    for record in expected where try snapshot.record(for: record.key) != record { return nil }
    return version
  }
}
