import EmbeddingStores
import EmbeddingTextSearch
import Foundation

/// A store with its text index, and FTS5 used directly, which is told the same.
struct TextPair {
  let store: EmbeddingStore
  let index: TextIndex
  let direct: DirectIndex
  /// The rows that there are.
  var rows: Set<Int> = []
  private let file: URL

  init(_ script: TextCorpus.Script, in folder: URL) throws {
    let directory = folder.appending(path: "store")
    store = try EmbeddingStore(at: directory, space: TextRecords.space)
    index = try TextIndex(of: store)
    file = directory.appending(path: "text.sqlite")
    direct = try DirectIndex(
      at: folder.appending(path: "direct.sqlite"), tokenizer: script.tokenizer)
  }

  /// Size of the text index.
  func indexByteCount() throws -> Int {
    try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
  }
}
