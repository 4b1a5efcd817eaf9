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
  private let directory: URL

  /// Begins a migration, or goes on with it.
  ///
  /// - Parameters:
  ///   - store: A store on disk, open for writing. It stays as it is, and may be written to.
  ///   - space: The space to move to.
  /// - Throws: `.invalidArgument` for a store in memory, and for the space that the store has;
  ///   `.alreadyExists` when a store of a third space is beside it, from an earlier migration;
  ///   otherwise what opening the other store throws.
  public init(of store: EmbeddingStore, to space: EmbeddingSpace) throws(StoreError) {
    guard let directory = store.directory else {
      throw StoreError(
        .invalidArgument, "A store in memory is not moved to another space: make a new one.")
    }
    guard space != store.space else {
      throw StoreError(
        .invalidArgument, "The store is of \(space.summary) already.",
        path: directory.path(percentEncoded: false))
    }
    try Self.removeDiscarded(directory)
    let place = Self.placeBeside(directory)
    do throws(StoreError) {
      next = try EmbeddingStore(at: place, space: space, configuration: store.configuration)
    } catch  where error.code == .spaceMismatch {
      throw StoreError(
        .alreadyExists,
        "A store of another space than \(space.summary) is beside this one, from an earlier "
          + "migration. Discard it first with SpaceMigration.discardStoreBeside.",
        path: place.path(percentEncoded: false))
    }
    current = store
    self.directory = directory
  }

  /// What embeds the items of `source` anew. Run it as often as it takes, with time budgets, pauses
  /// and retries as it suits.
  ///
  /// For an item that the old store has with the same revision, timestamp, labels, metadata and text
  /// are taken from there; for others, from the source and then from there.
  ///
  /// - Throws: `.spaceMismatch` when the encoder is not of the new space; otherwise what opening the
  ///   ledger of failures throws.
  public func indexer<Source: ItemSource, Encoder: EmbeddingEncoder>(
    source: Source, encoder: EncoderLoader<Encoder>, options: IndexingOptions = .background,
    throttle: any IndexingThrottle = SystemThrottle()
  ) throws(StoreError) -> Indexer<Source, Encoder> where Encoder.Input == Source.Input {
    try Indexer(
      store: next, source: source, encoder: encoder, options: options, throttle: throttle,
      carriedFrom: current)
  }

  /// How many of the stored keys are in the new space. Looks every key up.
  public func status() throws(StoreError) -> MigrationStatus {
    try MigrationStatus(from: current.snapshot(), to: next.snapshot())
  }

  /// Puts the new store in the place of the old one: the one step after which the directory holds
  /// the new space.
  ///
  /// Waits for those who write to the old store, carries over what they changed of timestamps,
  /// labels, metadata and text, and puts everything on the medium. The old store's object can still be
  /// read from, so that searches under way end well; release it. Its writes throw `.storeMoved`.
  /// This object, its `next` and its indexers must not be used any more.
  ///
  /// - Parameter share: The largest share of the old store's keys that may have no vector in the new
  ///   space, such as items that are gone or can not be encoded.
  /// - Returns: The store of the new space, at the directory of the old one.
  /// - Throws: `.migrationIncomplete` when more than that is missing; `.unsupportedVolume` where
  ///   directories can not change places; `.invalidArgument` for a share outside 0...1; otherwise as
  ///   writing does. Nothing has changed then, but for details carried over and `next` being closed.
  public func switchOver(leavingBehindAtMost share: Double = 0) throws(StoreError) -> EmbeddingStore
  {
    guard (0...1).contains(share) else {
      throw StoreError(.invalidArgument, "A share lies within 0...1; this one is \(share).")
    }
    let place = Self.placeBeside(directory).path(percentEncoded: false)
    try current.exchangePlaces(with: place) { (snapshot) throws(StoreError) in
      let status = try MigrationStatus(from: snapshot, to: try next.snapshot())
      guard Double(status.missingCount) <= share * Double(status.keyCount) else {
        throw StoreError(
          .migrationIncomplete,
          "\(status.missingCount) of \(status.keyCount) keys have no vector in the new space. Run "
            + "the migration's indexer, see its failures, and allow the share that may be left "
            + "behind.",
          path: directory.path(percentEncoded: false))
      }
      try carryDetails(from: snapshot)
      try next.close()
    }
    return try EmbeddingStore(
      at: directory, space: next.space, configuration: current.configuration)
  }

  /// Gives the rows of the new store the details that the old ones have now.
  private func carryDetails(from snapshot: Snapshot) throws(StoreError) {
    var updates: [RecordUpdate] = []
    for row in try next.snapshot().rows(changedSince: 0) {
      guard let new = try next.record(for: row.key, part: row.part),
        let old = try snapshot.carried(for: row.key, part: row.part),
        old.isOfContent(new.revision), !old.hasDetails(of: new)
      else { continue }
      updates.append(RecordUpdate(carrying: old, to: row))
      if updates.count == 1_000 {
        try next.update(updates)
        updates = []
      }
    }
    if !updates.isEmpty { try next.update(updates) }
  }
}

extension EmbeddingReader {
  /// The record whose details a part of an item takes over: that of the same part, or of the first.
  func carried(for key: String, part: UInt16) throws(StoreError) -> Record? {
    if let same = try record(for: key, part: part) { return same }
    return try records(for: key).first
  }
}

extension Record {
  /// Whether it was made from a revision, as far as is known.
  func isOfContent(_ revision: Revision?) -> Bool {
    self.revision == nil || self.revision == revision
  }

  fileprivate func hasDetails(of other: Record) -> Bool {
    timestamp == other.timestamp && labels == other.labels && metadata == other.metadata
      && text == other.text
  }
}

extension RecordUpdate {
  fileprivate init(carrying old: Record, to row: ChangedRow) {
    self.init(
      key: row.key, part: row.part, timestamp: old.timestamp.map { .set($0) } ?? .removed,
      labels: .set(old.labels), metadata: old.metadata.map { .set($0) } ?? .removed,
      text: old.text.map { .set($0) } ?? .removed)
  }
}
