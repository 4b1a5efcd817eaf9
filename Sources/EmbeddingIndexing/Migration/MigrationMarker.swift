internal import EmbeddingStores
internal import Foundation

/// A file in the directory of a store that a migration builds. It goes where the directory goes, so it
/// tells in which of two directories that changed places the new store is.
struct MigrationMarker {
  private let url: URL

  /// The marker of the store at `directory`.
  init(_ directory: URL) {
    url = directory.appending(path: "MIGRATION")
  }

  var exists: Bool {
    FileManager.default.fileExists(atPath: url.path(percentEncoded: false))
  }

  func set() throws(StoreError) {
    try changing { if !exists { try Data().write(to: url) } }
  }

  func remove() throws(StoreError) {
    try changing { if exists { try FileManager.default.removeItem(at: url) } }
  }

  private func changing(_ change: () throws -> Void) throws(StoreError) {
    do {
      try change()
    } catch {
      throw StoreError(
        .inputOutput, "The migration could not be noted: \(error.localizedDescription)",
        path: url.path(percentEncoded: false))
    }
  }
}
