import EmbeddingClusters
import EmbeddingStores
import EmbeddingTestSupport
import Testing

/// As many rows as make sketches worth while: groups equal those of searching from every row.
@Suite struct ManyDuplicatesTests {
  /// Rows that a few directions see most of, with near-duplicates among them.
  private static func vectors(_ generator: inout SeededGenerator) -> [[Float]] {
    let axes = RandomVectors.uniform(12, dimension: 80, using: &generator)
    var vectors: [[Float]] = []
    for number in 0..<2_100 {
      var vector = RandomVectors.vector(dimension: 80, using: &generator)
      for axis in axes {
        let share = Float.random(in: -1.5...1.5, using: &generator)
        for index in vector.indices { vector[index] += share * axis[index] }
      }
      if number % 5 == 4 {
        let nearness = Float(number % 7) * 0.02
        vector = zip(vectors[number / 2], vector).map { $0 + nearness * $1 }
      }
      vectors.append(vector)
    }
    return vectors
  }

  @Test(arguments: [0.6, 0.9, 0.99] as [Float])
  func groupsEqualThoseOfSearchingFromEveryRow(minimumScore: Float) throws {
    var generator = SeededGenerator("groupsEqualThoseOfSearching", seed: 6_050)
    let store = try makeStore(Self.vectors(&generator), threadCount: 1)
    // A third of the rows in the journal, the others in the main file.
    try store.compact()
    let moved = try (0..<700).map {
      Record(key: "k\($0)", vector: try #require(try store.vector(for: "k\($0)")))
    }
    try store.put(moved)
    try expectGroups(store, minimumScore)
  }

  @Test func rowsWithoutNormalisationAreGroupedByTheirProducts() throws {
    var generator = SeededGenerator("rowsWithoutNormalisationAreGrouped", seed: 6_051)
    let vectors = Self.vectors(&generator)
    let store = try makeStore(vectors, normalization: .none)
    let longest = vectors.map { dot($0, $0) }.max() ?? 0
    try expectGroups(store, Float(0.7 * longest))
  }

  @Test func groupsAreTheSameOnAnyNumberOfThreads() throws {
    var generator = SeededGenerator("groupsAreTheSameOnAnyNumberOfThreads", seed: 6_052)
    let vectors = Self.vectors(&generator)
    let options = DuplicateOptions(minimumScore: 0.95)
    let first = try makeStore(vectors, threadCount: 1).duplicateGroups(options)
    #expect(first.count > 50)
    for threadCount in [2, 5] {
      #expect(try makeStore(vectors, threadCount: threadCount).duplicateGroups(options) == first)
    }
  }

  private func expectGroups(_ store: EmbeddingStore, _ minimumScore: Float) throws {
    let keys = try store.keys()
    var groups = Dictionary(uniqueKeysWithValues: keys.map { ($0, Set([$0])) })
    var scores: [String: [Float]] = [:]
    for key in keys {
      let matches = try store.search(
        Query(.key(key), count: keys.count, minimumScore: minimumScore))
      scores[key] = matches.map(\.score)
      for match in matches where groups[key]?.contains(match.key) == false {
        let joined = (groups[key] ?? []).union(groups[match.key] ?? [])
        for member in joined { groups[member] = joined }
      }
    }
    let expected = Set(groups.values.filter { $0.count > 1 })
    let found = try store.duplicateGroups(DuplicateOptions(minimumScore: minimumScore))
    #expect(!expected.isEmpty)
    #expect(Set(found.map { Set($0.members.map(\.key)) }) == expected)
    for group in found {
      let all = group.members.flatMap { scores[$0.key] ?? [] }
      #expect(group.scores.lowerBound == all.min() && group.scores.upperBound == all.max())
    }
  }
}
