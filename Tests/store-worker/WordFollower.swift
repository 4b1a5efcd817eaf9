import EmbeddingStores
import EmbeddingTextSearch

/// Follows a store with its text index, in transactions of a few rows, so that most of what it does
/// takes several.
final class WordFollower {
  private var index: TextIndex?

  /// Takes in what an operation changed, or more.
  func follow(_ store: EmbeddingStore, _ number: Int) throws {
    StoreWorker.say("following")
    let index = try index(of: store)
    switch number % 16 {
    // Left for later, or for the next process.
    case 0..<6: break
    case 6: try index.rebuild()
    case 7: try index.compact()
    case 8: _ = try index.search(words: "updated", snippetLength: 20)
    default: try index.catchUp()
    }
  }

  private func index(of store: EmbeddingStore) throws -> TextIndex {
    if let index, index.store === store { return index }
    let opened = try TextIndex(of: store, batchRowCount: 7)
    index = opened
    return opened
  }
}
