import EmbeddingIndexing
import EmbeddingStores
import Testing

/// What a check finds between two encoders.
@Suite struct EncoderPairCheckTests {
  static let matches = [
    (item: "a photo of two cats", query: "cats"), (item: "a photo of the sea", query: "the sea"),
    (item: "a photo of a dinner", query: "dinner"),
  ]

  private static func found(
    _ item: some EmbeddingEncoder<String>, _ query: some EmbeddingEncoder<String>,
    matches: [(item: String, query: String)] = matches
  ) async -> [EncoderProblem] {
    await EncoderCheck().problems(ofPair: item, query, matches: matches)
  }

  @Test func encodersOfOneModelHaveNoProblem() async throws {
    let encoder = try HashedTextEncoder()
    #expect(await Self.found(encoder, encoder) == [])
    #expect(await Self.found(encoder, encoder, matches: []) == [])
  }

  @Test func differentSpacesAreFoundAndNamed() async throws {
    let problems = await Self.found(
      try HashedTextEncoder(dimension: 64), try HashedTextEncoder(dimension: 65))
    #expect(problems.map(\.kind) == [.spacesDiffer])
    #expect(problems.first?.message.contains("65") == true)
  }

  @Test func oneMatchShowsNothing() async throws {
    let encoder = try HashedTextEncoder()
    let problems = await Self.found(encoder, encoder, matches: [Self.matches[0]])
    #expect(problems.map(\.kind) == [.tooFewSamples])
  }

  @Test func spacesThatAreOneInNameOnlyAreFound() async throws {
    let whole = try BrokenEncoder { _, vectors, _ in vectors }
    let turned = try BrokenEncoder { _, vectors, _ in vectors.map { $0.reversed() } }
    let constant = try BrokenEncoder { _, vectors, _ in
      vectors.map { _ in (1...64).map(Float.init) }
    }
    #expect(await Self.found(whole, whole) == [])
    #expect(await Set(Self.found(whole, turned).map(\.kind)) == [.matchNotClosest])
    #expect(await Self.found(constant, whole).map(\.index) == [0, 1, 2])
  }

  @Test func whatIsWrongWithOneOfThemIsSaidOfIt() async throws {
    let whole = try BrokenEncoder { _, vectors, _ in vectors }
    let blind = try BrokenEncoder { inputs, vectors, _ in
      zip(inputs, vectors).map { $0.contains("sea") ? $1.map { _ in 0 } : $1 }
    }
    let throwing = try BrokenEncoder { _, _, _ in throw EncodingFailure() }
    let problems = await Self.found(throwing, blind)
    #expect(problems.map(\.kind) == [.threw, .zeroLength])
    #expect(problems.map(\.index) == [nil, 1])
    #expect(problems.first?.message.hasPrefix("The item's encoder: ") == true)
    #expect(problems.last?.message.hasPrefix("The query's encoder: ") == true)
    #expect(await Self.found(blind, whole).map(\.kind) == [.zeroLength])
  }
}
