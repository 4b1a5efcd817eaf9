public import EmbeddingStores

/// The items that could not be indexed, kept across launches beside the store.
///
/// It is a small store of its own, in the directory `failures` of the store that it belongs to, so
/// it has the same guarantees: a batch of failures is kept as a whole, and what was kept survives the
/// process being killed. Entries that a later version of the library wrote in another way are passed
/// over, and their items are tried again. It closes with its store. Any thread may use it. A store's backup does not
/// hold it.
public final class FailureLedger: Sendable {
  private let store: EmbeddingStore

  /// Opens the ledger of a store that is open for writing, or creates it.
  ///
  /// - Throws: As opening a store does.
  public init(of store: EmbeddingStore) throws(StoreError) {
    self.store = try store.companion(named: Self.directoryName, space: Self.space)
  }

  /// The number of items in it.
  public func count() throws(StoreError) -> Int {
    try store.count()
  }

  /// The failure of one item, or nil.
  public func failure(for key: String) throws(StoreError) -> IndexingFailure? {
    try store.record(for: key).flatMap(FailureRecord.failure)
  }

  /// All failures, by the bytes of their keys. Reads the whole ledger.
  public func failures() throws(StoreError) -> [IndexingFailure] {
    let snapshot = try store.snapshot()
    var failures: [IndexingFailure] = []
    for row in try snapshot.rows(changedSince: 0) {
      if let failure = try snapshot.record(for: row.key).flatMap(FailureRecord.failure) {
        failures.append(failure)
      }
    }
    return failures.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// Forgets items, so that the next run tries them as if they were new; unknown keys are passed
  /// over.
  public func forget(_ keys: some Sequence<String>) throws(StoreError) {
    // Most runs forget after every batch what was never there: that needs no lock.
    guard try store.count() > 0 else { return }
    try store.remove(keys)
  }

  func keys() throws(StoreError) -> [String] {
    try store.keys()
  }

  /// Keeps failures, each in place of what was known of its item: one commit.
  ///
  /// A failure of the same kind, revision and space as the one before counts its attempts on.
  func note(_ failures: [IndexingFailure]) throws(StoreError) {
    guard !failures.isEmpty else { return }
    var records: [Record] = []
    for var failure in failures {
      if let known = try self.failure(for: failure.key), known.kind == failure.kind,
        known.isAbout(failure.revision, in: failure.space)
      {
        failure.attemptCount += known.attemptCount
      }
      records.append(try FailureRecord.record(failure))
    }
    try store.put(records)
  }

  static let directoryName = "failures"

  private static let space = EmbeddingSpace(
    model: "failure-ledger", revision: "1", dimension: FailureRecord.vector.count,
    normalization: .none)
}
