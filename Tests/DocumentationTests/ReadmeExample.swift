import EmbeddingStores
import Foundation

/// The README's first example; `DocumentationTests` checks that it stands there line for line.
func readmeExample(print: (String, Float) -> Void) async throws {
  // README begins
  let encoder = try HashedTextEncoder()
  let directory = URL.temporaryDirectory.appending(path: "notes.embeddings")
  let store = try EmbeddingStore(at: directory, space: encoder.space)

  let notes = [
    "groceries": "apples, bread and milk",
    "holiday": "the train to the seaside leaves at nine",
    "pie": "bake the apple slices for an hour",
  ]
  for (key, text) in notes {
    let embedding = try await encoder.embedding(of: text)
    try store.put(Record(key: key, vector: embedding.vector, labels: ["note"], text: text))
  }

  let query = try await encoder.embedding(of: "apple recipes")
  for match in try await store.search(for: query, count: 2) {
    print(match.key, match.score)
  }
  // README ends
}
