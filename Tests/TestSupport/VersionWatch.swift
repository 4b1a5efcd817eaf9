internal import EmbeddingStores
package import Foundation

/// A reader that opens a store afresh, or refreshes, and sees versions that never go back.
package struct VersionWatch: Watch {
  private var store: WatchedStore
  private var version = 0

  package init(_ directory: URL) {
    store = WatchedStore(directory, looksPerOpening: 3)
  }

  package var lookCount: Int { store.lookCount }

  package mutating func look() -> String? {
    do {
      guard let seen = try VersionedRecords.version(of: try store.look()) else {
        return "Look \(lookCount): a snapshot is torn after version \(version)."
      }
      defer { version = seen }
      return seen < version ? "Look \(lookCount): version \(seen) after \(version)." : nil
    } catch {
      return "Look \(lookCount) after version \(version): \(error)"
    }
  }
}
