public import EmbeddingStores
public import Foundation

extension EmbeddingStore {
  /// Imports a dictionary of vectors by key that Foundation's `NSKeyedArchiver` wrote: lists of numbers,
  /// or data of little-endian Float32 components.
  ///
  /// Nothing of the file is made an object. A value of any other class is left and reported, such as a
  /// Core ML array, which only Core ML can read. The whole file is in memory at once.
  ///
  /// - Throws: `.notFound`; `.malformedFile` for a file that is no binary keyed archive of a dictionary
  ///   with strings for keys, before anything is stored; what `put` throws; `.cancelled`, and the batches
  ///   before stay.
  @discardableResult
  public func importKeyedArchive(
    _ archive: URL, progress: (ImportProgress) -> Void = { _ in }
  ) throws(StoreError) -> LegacyReport {
    try KeyedArchiveImport(store: self, path: try archive.filePath()).run(progress)
  }

  /// `importKeyedArchive(_:progress:)` away from the caller's thread.
  @concurrent @discardableResult
  public func importKeyedArchive(
    _ archive: URL, progress: @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(StoreError) -> LegacyReport {
    try KeyedArchiveImport(store: self, path: try archive.filePath()).run(progress)
  }
}
