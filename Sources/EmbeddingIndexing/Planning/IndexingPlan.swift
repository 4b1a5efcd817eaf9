public import EmbeddingStores

/// What would have to be done to bring a store in line with a source. Nothing is done by making it.
///
/// It holds the keys of the items concerned; an unchanged item is only counted.
public struct IndexingPlan: Sendable {
  /// The space that the items are to be embedded in.
  public let space: EmbeddingSpace
  /// The identifier of the store that was compared.
  let store: [UInt8]

  /// Items that the store has no record of.
  public internal(set) var new: [String] = []
  /// Items whose revision differs from the one that is stored.
  public internal(set) var changed: [String] = []
  /// Items whose records belong to another space than the one planned for: see `SpaceMigration`.
  public internal(set) var movedToAnotherSpace: [String] = []
  /// Items that were not available before and are to be tried again, before all others.
  public internal(set) var retried: [String] = []
  /// Items that were not available before and are left alone this time.
  public internal(set) var deferred: [String] = []
  /// Items that failed before, in this revision and space, and are left alone.
  public internal(set) var broken: [String] = []
  /// Stored keys that the source no longer has; empty when the source was not read to its end.
  public internal(set) var gone: [String] = []
  /// Items in the ledger of failures that the source no longer has; empty as `gone` is.
  public internal(set) var goneFailures: [String] = []
  /// Items in the ledger of failures that are stored as they are now and need no other try.
  public internal(set) var settledFailures: [String] = []
  /// Items that need nothing.
  public internal(set) var unchangedCount = 0
  /// Items whose key was listed before; the first counts.
  public internal(set) var duplicateCount = 0
  /// Keys that no store takes: empty, or of more than 65,535 UTF-8 bytes, of which the first 64
  /// characters are here. Their items are left alone, and no run counts them.
  public internal(set) var invalidKeys: [String] = []

  /// Why the source could not be read to its end, if it could not. What it listed before can be
  /// indexed, and nothing is removed.
  public internal(set) var sourceError: StoreError?
  /// Why the records of `gone` will not be removed, if so: more of the stored keys would go than
  /// may.
  public internal(set) var removalError: StoreError?

  /// Items to encode.
  public var workCount: Int {
    new.count + changed.count + movedToAnotherSpace.count + retried.count
  }

  /// Whether the store is in line with the source, but for what can not be indexed now.
  public var isUpToDate: Bool { workCount == 0 && gone.isEmpty && sourceError == nil }

  init(space: EmbeddingSpace, store: [UInt8]) {
    self.space = space
    self.store = store
  }
}
