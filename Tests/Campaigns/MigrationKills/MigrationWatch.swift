internal import EmbeddingStores
internal import Foundation

/// A reader that searches a store while it is moved to another space and back: it opens what is there,
/// refreshes it, and opens it anew when it is told that the store moved.
struct MigrationWatch {
  private let directory: URL
  private let searches: [SpaceSearches]
  private let looksPerOpening: Int
  private var store: EmbeddingStore?
  private(set) var lookCount = 0

  init(_ directory: URL, _ searches: [SpaceSearches], looksPerOpening: Int) {
    self.looksPerOpening = looksPerOpening
    self.directory = directory
    self.searches = searches
  }

  /// Looks once; says what must not be.
  mutating func look() -> String? {
    lookCount += 1
    do {
      let snapshot = try current()
      guard let expected = searches.first(where: { $0.space == snapshot.space }) else {
        return "Look \(lookCount): a store of \(snapshot.space)"
      }
      return try expected.problem(lookCount, in: snapshot).map { "Look \(lookCount): \($0)" }
    } catch {
      return "Look \(lookCount): \(error)"
    }
  }

  private mutating func current() throws -> Snapshot {
    if let store, !lookCount.isMultiple(of: looksPerOpening) {
      do throws(StoreError) {
        try store.refresh()
        return try store.snapshot()
      } catch {
        guard error.code == .storeMoved else { throw error }
      }
    }
    let opened = try EmbeddingStore(readingAt: directory)
    store = opened
    return try opened.snapshot()
  }
}
