import EmbeddingClusters
import EmbeddingStores
import EmbeddingTestSupport
import Testing

/// Result pages without near-identical matches.
@Suite struct DiversityTests {
  @Test(arguments: [0, 0.3, 0.7, 1])
  func ranksEqualThoseOfTheDefinition(relevance: Float) throws {
    var generator = SeededGenerator("ranksEqualThoseOfTheDefinition", seed: 6_040)
    let vectors = RandomVectors.uniform(80, dimension: 12, using: &generator)
    let store = try makeStore(vectors)
    let matches = try store.search(for: vectors[3], count: 40)
    var rest = matches
    var chosen: [Match] = []
    while !rest.isEmpty {
      var best = (index: 0, worth: -Double.infinity)
      for (index, match) in rest.enumerated() {
        let vector = try #require(try store.vector(for: match.key))
        let nearest = try chosen.map { dot(vector, try #require(try store.vector(for: $0.key))) }
          .max()
        let worth = nearest.map {
          Double(relevance) * Double(match.score) - Double(1 - relevance) * $0
        }
        if worth ?? Double(match.score) > best.worth + 1e-9 {
          best = (index, worth ?? Double(match.score))
        }
      }
      chosen.append(rest.remove(at: best.index))
    }
    for count in [0, 1, 2, 13, 40, 100] {
      let found = try store.diversified(matches, count: count, relevance: relevance)
      #expect(found == Array(chosen.prefix(count)))
    }
  }

  @Test func aSecondShotOfTheSameSceneComesLater() throws {
    let store = try makeStore([[1, 0.1, 0], [1, 0.11, 0], [0.8, 0, 0.6]])
    let matches = try store.search(for: [1, 0.1, 0], count: 3)
    #expect(matches.map(\.key) == ["k0", "k1", "k2"])
    #expect(
      try store.diversified(matches, count: 3, relevance: 0.3).map(\.key) == ["k0", "k2", "k1"])
    #expect(try store.diversified(matches, count: 3, relevance: 1) == matches)
    try store.remove(["k0"])
    #expect(try store.diversified(matches, count: 2).map(\.key) == ["k1", "k2"])
  }

  @Test func rankingsThatMakeNoSenseAreRefused() async throws {
    let store = try makeStore([[1, 0], [0, 1]])
    for relevance in [-0.1, 1.1, Float.nan] {
      await expectError(.invalidArgument) {
        _ = try store.diversified([], count: 1, relevance: relevance)
      }
    }
    await expectError(.invalidArgument) { _ = try store.diversified([], count: -1) }
    #expect(try store.diversified([], count: 5) == [])
  }

  // One store for sameness and one for meaning, with the same keys.
  @Test func onlyTheBestMatchOfEachBurstStays() throws {
    let prints = try makeStore([[1, 0], [1, 0.01], [0, 1], [0.7, 0.7], [0.7, 0.71]])
    let groups = try prints.duplicateGroups(DuplicateOptions(minimumScore: 0.999))
    #expect(groups.map { $0.members.map(\.key) } == [["k0", "k1"], ["k3", "k4"]])
    let meaning = try makeStore([
      [1, 0, 0], [1, 0.1, 0], [1, 0.2, 0], [1, 0.3, 0], [1, 0.4, 0],
    ])
    let matches = try meaning.search(for: [1, 0.39, 0], count: 5)
    #expect(matches.map(\.key) == ["k4", "k3", "k2", "k1", "k0"])
    #expect(matches.onePerGroup(of: groups).map(\.key) == ["k4", "k2", "k1"])
    #expect(matches.onePerGroup(of: []) == matches)
  }
}
