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
  /// beside it then, as one that is being built. What was written since the switch is not in it.
  ///
  /// - Parameter store: The store at the directory, open for writing; release it after.
  /// - Returns: The store that is at the directory now.
  /// - Throws: `.notFound` when no earlier store is beside it: none, or one that is being built;
  ///   `.alreadyOpenForWriting` when this process has that store open; otherwise as `switchOver`.
  public static func switchBack(_ store: EmbeddingStore) throws(StoreError) -> EmbeddingStore {
    let directory = try directory(of: store)
    guard let space = try spaceBeside(directory), MigrationMarker(directory).exists,
      !MigrationMarker(placeBeside(directory)).exists
    else {
      throw StoreError(
        .notFound, "There is no earlier store beside this one to go back to.",
        path: directory.path(percentEncoded: false))
    }
    let place = placeBeside(directory).path(percentEncoded: false)
    try store.exchangePlaces(with: place) { (_) throws(StoreError) in }
    return try EmbeddingStore(at: directory, space: space, configuration: store.configuration)
  }

  /// Deletes the store beside the one at `directory`: the one before the last switch, or a migration
  /// that is not to be gone on with. Does nothing when there is none; calling it again finishes what a
  /// kill cut short.
  ///
  /// - Throws: `.alreadyOpenForWriting` when this process has it open; `.inputOutput` when something
  ///   could not be deleted.
  public static func discardStoreBeside(_ directory: URL) throws(StoreError) {
    try removeDiscarded(directory)
    let place = placeBeside(directory)
    guard FileManager.default.fileExists(atPath: place.path(percentEncoded: false)) else { return }
    try checkNotOpen(place)
    // Under another name first: a store that is half deleted must not be taken for one.
    try changingFiles(place) {
      try FileManager.default.moveItem(at: place, to: discarded(directory))
    }
    try removeDiscarded(directory)
  }

  /// The directory of a store that can change places with another.
  static func directory(of store: EmbeddingStore) throws(StoreError) -> URL {
    guard let directory = store.directory?.standardizedFileURL else {
      throw StoreError(
        .invalidArgument, "A store in memory is not moved to another space: make a new one.")
    }
    let path = directory.path(percentEncoded: false)
    guard !store.isReadOnly else {
      throw StoreError(
        .readOnly, "The store was opened read-only. Open it for writing to move it.", path: path)
    }
    let values = try? directory.resourceValues(forKeys: [.isSymbolicLinkKey])
    guard values?.isSymbolicLink != true else {
      throw StoreError(
        .invalidArgument,
        "The store's directory is a symbolic link. Open the store where it is to move it.",
        path: path)
    }
    return directory
  }

  private static func checkNotOpen(_ place: URL) throws(StoreError) {
    guard let space = try? EmbeddingStore(readingAt: place).space else { return }
    do throws(StoreError) {
      try EmbeddingStore(at: place, space: space).close()
    } catch {
      // A store that is damaged may be discarded.
      if error.code == .alreadyOpenForWriting { throw error }
    }
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
    let directory = directory.standardizedFileURL
    return directory.deletingLastPathComponent().appending(
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
