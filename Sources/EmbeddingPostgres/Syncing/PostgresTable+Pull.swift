public import EmbeddingStores

extension PostgresTable {
  /// Makes the store have what the server has: rows that were written or removed there since the last
  /// pull by other devices, oldest change first.
  ///
  /// What comes replaces what the store has under its key and part, so push first what was changed here.
  /// A record that is the same is not written again. Every row is checked before it is stored.
  /// Batches of up to 4,096 rows or 8 MiB are commits of the store, and the watermark follows when they
  /// are synced: a call that fails, is cancelled or dies repeats at most one batch. Memory for one
  /// batch.
  ///
  /// - Parameters:
  ///   - device: Names this copy of the store, as for `push`.
  ///   - progress: Called after each batch, on the table's thread.
  /// - Throws: `.invalidRow` for a row that a store can not hold, with its key, and nothing of its batch
  ///   is stored; `.store` when the store can not be written; `.conflict` when the same store is
  ///   being pulled elsewhere.
  @discardableResult
  public func pull(
    into store: EmbeddingStore, device name: String,
    progress: @Sendable (SyncProgress) -> Void = { _ in }
  ) throws(PostgresError) -> SyncProgress {
    guard store.space == space else { throw PostgresError.otherSpace(store.space, space) }
    let snapshot = try asPostgresError { () throws(StoreError) in try store.snapshot() }
    let connection = try checkedConnection()
    let device = try connection.device(name, of: snapshot, in: schema, owner: owner)
    var pull = Pull(
      store: store, connection: connection, schema: schema, owner: owner, device: device)
    return try pull.run(progress)
  }
}
