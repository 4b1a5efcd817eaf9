internal import EmbeddingStores

/// How far a migration has come, counted in keys: whether the content behind a key changed since only
/// the source can tell.
public struct MigrationStatus: Equatable, Sendable {
  /// Keys in the old store.
  public let keyCount: Int
  /// Those of them that the new one does not have: not dealt with yet, failed, or not in the source.
  public let missingCount: Int

  /// Whether the new store has a vector for everything in the old one.
  public var isComplete: Bool { missingCount == 0 }

  init(from old: Snapshot, to new: Snapshot) throws(StoreError) {
    let keys = try old.keys()
    keyCount = keys.count
    missingCount = try new.missing(from: keys).count
  }
}
