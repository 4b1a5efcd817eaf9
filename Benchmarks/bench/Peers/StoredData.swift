import EmbeddingStores
import Foundation

/// A compacted store of a data set's rows, as they are in the file, for work on all of them.
struct StoredData {
  let store: EmbeddingStore

  /// Puts all rows into a new store below `directory`.
  ///
  /// A record's labels are the folder of its key, its text the words of the key's last part.
  init(_ data: DataSet, _ arguments: Arguments, directory: URL) throws {
    Console.progress("Building a store")
    let url = directory.appending(path: "rows")
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    configuration.durability = .processKill
    configuration.searchThreadCount = arguments.threadCount
    store = try EmbeddingStore(at: url, space: data.space, configuration: configuration)
    for batch in data.batches(of: 1_000) {
      try store.put(
        batch.map { row in
          var record = data.plainRecord(of: row)
          let parts = data.keys[row].split(separator: "/")
          record.labels = Set(parts.dropLast().suffix(1).map(String.init))
          record.text = parts.last?.split { "-_.".contains($0) }.joined(separator: " ")
          return record
        })
    }
    try store.compact()
  }
}
