internal import EmbeddingStores
package import Foundation

/// A reader that opens a store afresh, or refreshes, and sees versions that never go back.
package struct VersionWatch: Watch {
  private let directory: URL
  private var store: EmbeddingStore?
  private var version = 0
  package private(set) var lookCount = 0

  package init(_ directory: URL) {
    self.directory = directory
  }

  package mutating func look() -> String? {
    lookCount += 1
    do {
      let current: EmbeddingStore
      if let store, !lookCount.isMultiple(of: 3) {
        current = store
        try current.refresh()
      } else {
        try store?.close()
        current = try EmbeddingStore(readingAt: directory)
        store = current
      }
      guard let seen = try VersionedRecords.version(of: try current.snapshot()) else {
        return "Look \(lookCount): a snapshot is torn after version \(version)."
      }
      defer { version = seen }
      return seen < version ? "Look \(lookCount): version \(seen) after \(version)." : nil
    } catch {
      return "Look \(lookCount) after version \(version): \(error)"
    }
  }
}
