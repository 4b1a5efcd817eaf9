import EmbeddingIndexing
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Synchronization
import Testing

/// One vector from several phrasings.
@Suite struct QueryEncoderTests {
  /// Gives the vectors of a table, and remembers what it was asked.
  private final class TableEncoder: EmbeddingEncoder {
    let space = EmbeddingSpace(model: "table", dimension: 3)
    let vectors: [String: [Float]]
    let asked = Mutex<[[String]]>([])

    init(_ vectors: [String: [Float]]) { self.vectors = vectors }

    func encode(_ inputs: [String]) async throws -> [[Float]] {
      asked.withLock { $0.append(inputs) }
      return inputs.map { vectors[$0] ?? [1, 2, 3] }
    }
  }

  private struct Phrasings: QueryRewriter {
    var all: [String]
    func phrasings(of query: String) async throws -> [String] { all }
  }

  private struct Refusal: Error {}
  private struct Refusing: QueryRewriter {
    func phrasings(of query: String) async throws -> [String] { throw Refusal() }
  }

  private static func encoder(
    _ vectors: [String: [Float]], phrasings: [String]? = nil
  ) -> QueryEncoder<TableEncoder> {
    QueryEncoder(
      TableEncoder(vectors), rewriter: Phrasings(all: phrasings ?? vectors.keys.sorted()))
  }

  private static func code(
    _ vectors: [String: [Float]], phrasings: [String]? = nil, query: String = "q"
  ) async -> StoreError.Code? {
    let error = await #expect(throws: StoreError.self) {
      try await encoder(vectors, phrasings: phrasings).embedding(of: query)
    }
    return error?.code
  }

  @Test func theVectorIsTheDirectionBetweenPhrasingsOfAnyLength() async throws {
    let encoder = Self.encoder(["a": [100, 0, 0], "b": [0, 0.001, 0]])
    let embedding = try await encoder.embedding(of: "q")
    let half = Float(0.5.squareRoot())
    #expect(embedding == Embedding([half, half, 0], in: encoder.text.space))
  }

  @Test func onePhrasingIsScaledToLengthOne() async throws {
    let embedding = try await Self.encoder(["a": [0, -3, 4]]).embedding(of: "q")
    #expect(embedding.vector == [0, -0.6, 0.8])
    let large = try await Self.encoder(["a": [0, 3e38, 0]]).embedding(of: "q")
    #expect(large.vector == [0, 1, 0])
  }

  @Test func randomVectorsHaveTheMeanThatTheDefinitionGives() async throws {
    var generator = SeededGenerator("randomVectorsHaveTheMeanThatTheDefinitionGives", seed: 3)
    for _ in 0..<200 {
      let count = Int.random(in: 1...9, using: &generator)
      let vectors = RandomVectors.uniform(count, dimension: 3, using: &generator)
      let names = (0..<count).map { "p\($0)" }
      let encoder = Self.encoder(Dictionary(uniqueKeysWithValues: zip(names, vectors)))
      var mean: [Double] = [0, 0, 0]
      for vector in vectors {
        let length = hypot(hypot(Double(vector[0]), Double(vector[1])), Double(vector[2]))
        for axis in 0..<3 { mean[axis] += Double(vector[axis]) / length / Double(count) }
      }
      let length = hypot(hypot(mean[0], mean[1]), mean[2])
      let found = try await encoder.embedding(of: "q").vector
      for axis in 0..<3 { #expect(abs(Double(found[axis]) - mean[axis] / length) < 1e-6) }
    }
  }

  @Test func equalAndBlankPhrasingsDoNotWeigh() async throws {
    let encoder = Self.encoder(
      ["a": [1, 0, 0], "é": [0, 1, 0]], phrasings: ["a", " ", "é", "a", " a\n", "e\u{301}", ""])
    let vector = try await encoder.embedding(of: "q").vector
    #expect(vector[0] == vector[1])
    #expect(encoder.text.asked.withLock { $0 } == [["a", "é"]])
  }

  @Test func theQueriesOfABatchAreEncodedTogetherAndKeptApart() async throws {
    let table = try PhraseTable(["hund": ["dog", "puppy"], "katze": ["cat"]])
    let text = TableEncoder(["dog": [1, 0, 0], "puppy": [0, 1, 0], "cat": [0, 0, 1]])
    let encoder = QueryEncoder(text, rewriter: table)
    let vectors = try await encoder.encode(["Katze", "Hund", "Katze"])
    let half = Float(0.5.squareRoot())
    #expect(vectors == [[0, 0, 1], [half, half, 0], [0, 0, 1]])
    #expect(text.asked.withLock { $0 } == [["cat", "dog", "puppy", "cat"]])
    #expect(try await encoder.encode([]).isEmpty)
    #expect(text.asked.withLock { $0.count } == 1)
  }

  @Test func aRewrittenQueryFindsWhatTheTextEncoderWouldNot() async throws {
    let text = try HashedTextEncoder()
    let pair = try EncoderPair(
      item: text, query: QueryEncoder(text, rewriter: PhraseTable(["Hund": "dog"])))
    let store = try EmbeddingStore(inMemory: pair.space)
    for key in ["a dog", "a hundred"] {
      try store.put(Record(key: key, vector: try await text.embedding(of: key).vector))
    }
    let query = try await pair.query.embedding(of: "HUND").vector
    #expect(try await store.search(Query(.vector(query))).first?.key == "a dog")
  }

  @Test func blankQueriesAreRefusedBeforeTheyAreRewritten() async {
    for query in ["", " ", "\n\u{3000}"] {
      #expect(await Self.code(["a": [1, 0, 0]], query: query) == .invalidArgument)
    }
  }

  @Test func aRewriterThatGivesNothingIsAnError() async {
    #expect(await Self.code([:], phrasings: []) == .noPhrasing)
    #expect(await Self.code([:], phrasings: ["", " "]) == .noPhrasing)
  }

  @Test func whatTheRewriterThrowsIsThrown() async {
    await #expect(throws: Refusal.self) {
      try await QueryEncoder(TableEncoder([:]), rewriter: Refusing()).embedding(of: "q")
    }
  }

  @Test func vectorsThatCancelOutAreAnError() async {
    #expect(await Self.code(["a": [1, 2, 3], "b": [-2, -4, -6]]) == .zeroVector)
    #expect(await Self.code(["a": [1, 2, 3], "b": [-1, -2, -3.000_001]]) == .zeroVector)
  }

  @Test func phrasingsWithoutDirectionAreAnError() async {
    let fine: [Float] = [1, 0, 0]
    #expect(await Self.code(["a": fine, "b": [0, 0, 0]]) == .zeroVector)
    #expect(await Self.code(["a": fine, "b": [0, 1e-7, 0]]) == .zeroVector)
    #expect(await Self.code(["a": fine, "b": [0, .nan, 0]]) == .notFinite)
    #expect(await Self.code(["a": fine, "b": [-.infinity, 0, 0]]) == .notFinite)
    #expect(await Self.code(["a": fine, "b": [1, 0]]) == .encoderFailed)
  }
}
