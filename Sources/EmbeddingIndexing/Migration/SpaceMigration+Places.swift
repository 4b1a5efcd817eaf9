public import EmbeddingStores
public import Foundation

/// What is beside a store: the one being built, or after the switch the one before.
extension SpaceMigration {
  /// The space of the store beside the one at `directory`, if there is one: that of a migration which
  /// was begun, or the one before the last switch.
  ///
  /// - Throws: What opening that store throws.
  public static func spaceBeside(_ directory: URL) throws(StoreError) -> EmbeddingSpace? {
    do throws(StoreError) {
      return try EmbeddingStore(readingAt: placeBeside(directory)).space
    } catch  where error.code == .notFound {
      return nil
    }
  }

  /// Puts the store from before the last switch back in its place, in one step; the other one is
  /// beside it then. What was written since the switch is not in it.
  ///
  /// - Parameter store: The store at the directory, open for writing; release it after.
  /// - Returns: The store that is at the directory now.
  /// - Throws: `.notFound` when none is beside it; otherwise as `switchOver`.
  public static func switchBack(_ store: EmbeddingStore) throws(StoreError) -> EmbeddingStore {
    guard let directory = store.directory, let space = try spaceBeside(directory) else {
      throw StoreError(
        .notFound, "There is no earlier store beside this one to go back to.",
        path: store.directory?.path(percentEncoded: false))
    }
    let place = placeBeside(directory).path(percentEncoded: false)
    try store.exchangePlaces(with: place) { (_) throws(StoreError) in }
    return try EmbeddingStore(at: directory, space: space, configuration: store.configuration)
  }

  /// Deletes the store beside the one at `directory`: the one before the last switch, or a migration
  /// that is not to be gone on with. Does nothing when there is none. It must not be open.
  ///
  /// - Throws: `.inputOutput` when something could not be deleted; calling again goes on.
  public static func discardStoreBeside(_ directory: URL) throws(StoreError) {
    try removeDiscarded(directory)
    let place = placeBeside(directory)
    guard FileManager.default.fileExists(atPath: place.path(percentEncoded: false)) else { return }
    // Under another name first: a store that is half deleted must not be taken for one.
    try changingFiles(place) {
      try FileManager.default.moveItem(at: place, to: discarded(directory))
    }
    try removeDiscarded(directory)
  }

  static func placeBeside(_ directory: URL) -> URL { sibling(of: directory, "other-space") }

  /// Deletes what a discarding that was cut short left.
  static func removeDiscarded(_ directory: URL) throws(StoreError) {
    let discarded = discarded(directory)
    guard FileManager.default.fileExists(atPath: discarded.path(percentEncoded: false)) else {
      return
    }
    try changingFiles(discarded) { try FileManager.default.removeItem(at: discarded) }
  }

  private static func discarded(_ directory: URL) -> URL { sibling(of: directory, "discarded") }

  private static func sibling(of directory: URL, _ suffix: String) -> URL {
    directory.deletingLastPathComponent().appending(
      path: "\(directory.lastPathComponent).\(suffix)", directoryHint: .isDirectory)
  }

  private static func changingFiles(_ url: URL, _ change: () throws -> Void) throws(StoreError) {
    do {
      try change()
    } catch {
      throw StoreError(
        .inputOutput, "The store could not be deleted: \(error.localizedDescription)",
        path: url.path(percentEncoded: false))
    }
  }
}
