public import EmbeddingStores
public import Foundation

extension EmbeddingStore {
  /// Writes the store to one file, compacted and compressed, while it is in use: to send it, to keep it,
  /// or to ship it with an app.
  ///
  /// The archive holds what a snapshot taken now holds, to the bit, with a checksum over each 1 MiB. It
  /// appears under its name when it is whole and on the medium. After an error, a cancellation
  /// included, nothing is left; a kill may leave `<name>.<number>.tmp` files and directories beside it,
  /// which may be deleted.
  ///
  /// - Throws: `.alreadyExists` when something is there; `.notFound` without a parent directory; and as
  ///   `backup(to:)`.
  /// - Complexity: As `backup(to:)`, which it makes beside the archive and removes: needs disk space for
  ///   both. `progress` begins after it. About 4 MiB of memory beside what the backup needs.
  public func archive(
    to archive: URL, progress: (ArchiveProgress) -> Void = { _ in }
  ) throws(StoreError) {
    try StoreArchiving(store: self, path: try archive.filePath()).run(progress)
  }

  /// `archive(to:progress:)` away from the caller's thread.
  @concurrent public func archive(
    to archive: URL, progress: @Sendable (ArchiveProgress) -> Void = { _ in }
  ) async throws(StoreError) {
    try StoreArchiving(store: self, path: try archive.filePath()).run(progress)
  }

  /// Makes a store in a new directory from what `archive(to:)` wrote.
  ///
  /// Everything is checked against its checksums and written beside `directory`, the store is opened
  /// and verified, and then gets its name in one step. After an error, a cancellation included, nothing is left;
  /// a kill may leave a directory `<name>.<number>.tmp`, which may be deleted. Two stores restored from
  /// one archive share their identity, as copies of a directory do.
  ///
  /// - Throws: `.alreadyExists` when something is there; `.notFound` without the archive or a parent
  ///   directory; `.malformedFile` for a file that is no archive; `.corrupt` for one that was cut short
  ///   or changed; `.unsupportedFormat` for one of a later version; `.noSpace` before anything is
  ///   written when the volume has too little room; `.inputOutput`; `.cancelled`.
  /// - Complexity: Reads the archive once, and writes and reads every byte of the store. About 4 MiB of
  ///   memory.
  public static func restore(
    _ archive: URL, to directory: URL, progress: (ArchiveProgress) -> Void = { _ in }
  ) throws(StoreError) {
    try StoreRestoring(archivePath: try archive.filePath(), path: try directory.filePath())
      .run(progress)
  }

  /// `restore(_:to:progress:)` away from the caller's thread.
  @concurrent public static func restore(
    _ archive: URL, to directory: URL, progress: @Sendable (ArchiveProgress) -> Void = { _ in }
  ) async throws(StoreError) {
    try StoreRestoring(archivePath: try archive.filePath(), path: try directory.filePath())
      .run(progress)
  }
}
