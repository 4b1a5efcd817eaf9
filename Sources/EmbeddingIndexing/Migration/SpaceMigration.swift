public import EmbeddingStores
internal import Foundation

/// Moves a store to another embedding space: a new model, or a new revision of one.
///
/// A second store is built beside the one that is there, from the same source, by an ordinary
/// indexer; searches keep using the old store and its space. When it is complete the two directories
/// change places in one step of the file system, and the old store stays beside the new one until it
/// is discarded.
///
/// ```swift
/// let store = try EmbeddingStore(at: directory, space: old.space)
/// let migration = try SpaceMigration(of: store, to: new.space)
/// try await migration.indexer(source: source, encoder: EncoderLoader(new)).run()
/// let moved = try migration.switchOver()
/// // ... and once it has proved itself:
/// try SpaceMigration.discardStoreBeside(directory)
/// ```
///
/// Nothing of it is kept in memory alone: a process that was killed makes the same migration again
/// and goes on behind its last batch. Any thread may use it.
public final class SpaceMigration: Sendable {
  /// The store as it is.
  public let current: EmbeddingStore
  /// The store that is being built, beside the other one.
  public let next: EmbeddingStore
  private let carried: CarriedStore
  private let directory: URL

  /// Begins a migration, or goes on with it.
  ///
  /// - Parameters:
  ///   - store: A store on disk, open for writing. It stays as it is, and may be written to.
  ///   - space: The space to move to.
  /// - Throws: `.invalidArgument` for a store in memory, for one that was opened through a symbolic
  ///   link, and for the space that the store has; `.readOnly`; `.alreadyExists` when a store of a
  ///   third space is beside it, from an earlier migration; otherwise what opening the other store
  ///   throws.
  public init(of store: EmbeddingStore, to space: EmbeddingSpace) throws(StoreError) {
    let directory = try Self.directory(of: store)
    guard space != store.space else {
      throw StoreError(
        .invalidArgument, "The store is of \(space.summary) already.",
        path: directory.path(percentEncoded: false))
    }
    try Self.removeDiscarded(directory)
    let place = Self.placeBeside(directory)
    if let beside = try Self.spaceBeside(directory), beside != space {
      throw StoreError(
        .alreadyExists,
        "A store of \(beside.summary) is beside this one, from an earlier migration. Discard it "
          + "first with SpaceMigration.discardStoreBeside.",
        path: place.path(percentEncoded: false))
    }
    // In this order: a store that was only begun must never look like one to go back to.
    try MigrationMarker(directory).remove()
    next = try EmbeddingStore(at: place, space: space, configuration: store.configuration)
    try MigrationMarker(place).set()
    carried = try CarriedStore(store, next: next)
    current = store
    self.directory = directory
  }

  /// What embeds the items of `source` anew. Run it as often as it takes, with time budgets, pauses
  /// and retries as it suits.
  ///
  /// For an item that the old store has with the same revision, timestamp, labels, metadata and text
  /// are taken from there; for others, from the source and then from there.
  ///
  /// - Throws: As the initialiser of `Indexer`.
  public func indexer<Source: ItemSource, Encoder: EmbeddingEncoder>(
    source: Source, encoder: EncoderLoader<Encoder>, options: IndexingOptions = .background,
    throttle: any IndexingThrottle = SystemThrottle()
  ) throws(StoreError) -> Indexer<Source, Encoder> where Encoder.Input == Source.Input {
    try Indexer(
      store: next, source: source, encoder: encoder, options: options, throttle: throttle,
      carriedFrom: carried)
  }

  /// How many of the stored keys are in the new space. Looks every key up.
  public func status() throws(StoreError) -> MigrationStatus {
    try MigrationStatus(from: current.snapshot(), to: next.snapshot())
  }

  /// Puts the new store in the place of the old one: the one step after which the directory holds
  /// the new space.
  ///
  /// Carries over what was changed of timestamps, labels, metadata and text in the old store since its
  /// records were embedded anew, and what was removed; then waits for those who write to either store,
  /// does the same for the last changes, and puts everything on the medium. The old store's object can
  /// still be read from, so that searches under way end well; release it. Its writes throw
  /// `.storeMoved`. This object, its `next` and its indexers must not be used any more.
  ///
  /// An item whose content changed since it was embedded anew counts as there: run the indexer right
  /// before, or a run of the new store embeds it again.
  ///
  /// - Parameter share: The largest share of the old store's keys that may have no vector in the new
  ///   space, such as items that are gone or can not be encoded.
  /// - Returns: The store of the new space, at the directory of the old one.
  /// - Throws: `.migrationIncomplete` when more than that is missing; `.unsupportedVolume` where
  ///   directories can not change places; `.invalidArgument` for a share outside 0...1; otherwise as
  ///   writing does. The stores are in their places then, unless the last sync failed: open the
  ///   directory to see. `next` may be closed: make a new migration to go on.
  /// - Complexity: Reads every record of both stores.
  public func switchOver(leavingBehindAtMost share: Double = 0) throws(StoreError) -> EmbeddingStore
  {
    guard (0...1).contains(share) else {
      throw StoreError(.invalidArgument, "A share lies within 0...1; this one is \(share).")
    }
    try current.refresh()
    let seen = try current.snapshot()
    try check(seen, share)
    try Changeover(from: seen, to: next, carried).carry(changedSince: 0)
    try current.exchangePlaces(with: Self.placeBeside(directory).path(percentEncoded: false)) {
      (snapshot) throws(StoreError) in
      try check(snapshot, share)
      try Changeover(from: snapshot, to: next, carried).carry(changedSince: seen.changeNumber)
      try next.close()
    }
    return try EmbeddingStore(
      at: directory, space: next.space, configuration: current.configuration)
  }

  private func check(_ snapshot: Snapshot, _ share: Double) throws(StoreError) {
    let status = try MigrationStatus(from: snapshot, to: try next.snapshot())
    guard Double(status.missingCount) <= share * Double(status.keyCount) else {
      throw StoreError(
        .migrationIncomplete,
        "\(status.missingCount) of \(status.keyCount) keys have no vector in the new space. Run "
          + "the migration's indexer, see its failures, and allow the share that may be left "
          + "behind.",
        path: directory.path(percentEncoded: false))
    }
  }
}
