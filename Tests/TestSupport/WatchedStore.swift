internal import EmbeddingStores
internal import Foundation

/// A store that a watch looks at again and again: refreshed, and now and then opened afresh.
struct WatchedStore {
  private let directory: URL
  private let looksPerOpening: Int
  private var store: EmbeddingStore?
  private(set) var lookCount = 0

  init(_ directory: URL, looksPerOpening: Int) {
    self.directory = directory
    self.looksPerOpening = looksPerOpening
  }

  /// The contents as of now.
  mutating func look() throws -> Snapshot {
    lookCount += 1
    if let store, !lookCount.isMultiple(of: looksPerOpening) {
      try store.refresh()
      return try store.snapshot()
    }
    try store?.close()
    let opened = try EmbeddingStore(readingAt: directory)
    store = opened
    return try opened.snapshot()
  }
}
