import EmbeddingStores
import EmbeddingTextSearch
import Testing

/// The example of the README's guide that needs `EmbeddingTextSearch`.
@Suite struct TextSearchExamples {
  @Test func wordsAndAVectorAreSearchedForTogether() throws {
    let clip = EmbeddingSpace(model: "MobileCLIP-S1", revision: "1.0.0", dimension: 4)
    let store = try EmbeddingStore(inMemory: clip)
    try store.put([
      Record(key: "a", vector: [1, 0, 0, 0], labels: ["beach"], text: "A long walk at sunset"),
      Record(key: "b", vector: [0.9, 0.1, 0, 0], labels: ["ocean"], text: "Waves"),
      Record(key: "c", vector: [1, 0, 0, 0], labels: ["city"], text: "A long walk at sunset"),
    ])
    let query: [Float] = [1, 0, 0, 0]

    let index = try TextIndex(of: store)
    let best = try index.search(
      HybridQuery(
        .vector(query), words: "\"long walk\" sun*", count: 30,
        filter: Filter(labels: [.any(["beach", "ocean"])]), snippetLength: 80))
    for match in best {
      print(match.key, match.vector?.rank ?? 0, match.words?.rank ?? 0, match.snippet?.text ?? "")
    }

    #expect(best.map(\.key) == ["a", "b"])
    #expect(best.map { $0.words?.rank } == [1, nil] && best.map { $0.vector?.rank } == [1, 2])
  }
}
