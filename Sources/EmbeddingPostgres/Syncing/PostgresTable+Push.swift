public import EmbeddingStores

extension PostgresTable {
  /// Makes the server have what the store has: sends the rows that were put or updated since the last
  /// push, oldest change first, and removes those that the store no longer has.
  ///
  /// The first push into a table without rows of the owner is a bulk copy. Each batch of 1,024 rows,
  /// or in a bulk copy 4,096, and of at most 16 MiB is one transaction that moves the device's watermark, too: a call that fails, is
  /// cancelled or dies repeats at most one batch when it is called again, and loses nothing. Memory for
  /// one row and half a MiB, and 16 bytes a row that is sent. A push that may have to remove something
  /// reads the keys on the server, about 60 bytes a row.
  ///
  /// A row goes to the server with its vector, and replaces what is there; where the vector is the
  /// same, only the other columns are written. Among devices the last to push a row decides, but
  /// a device that pulls never overwrites what it has not seen: that comes with its next pull. A
  /// row is removed when this device was the last to write it, or has pulled it.
  ///
  /// Syncs the store first, so that no power failure takes from it what the server has.
  ///
  /// - Parameters:
  ///   - device: Names this copy of the store, such as `"Anna's phone"`. Two copies must not share one.
  ///   - share: Nothing is removed when more than this share of the rows would be: a store
  ///     that lost its rows is not a wish to lose them.
  ///   - progress: Called after each batch, on the table's thread.
  /// - Throws: `.tooManyRemovals`; `.containsNUL` or `.limitExceeded` for a record that PostgreSQL can not
  ///   hold, with its key; `.conflict` when the same store is being pushed elsewhere.
  @discardableResult
  public func push(
    _ store: EmbeddingStore, device name: String, removingAtMost share: Double = 0.2,
    progress: @Sendable (SyncProgress) -> Void = { _ in }
  ) throws(PostgresError) -> SyncProgress {
    guard store.space == space else { throw PostgresError.otherSpace(store.space, space) }
    guard (0...1).contains(share) else {
      throw PostgresError(.invalidArgument, "A share lies within 0...1; this one is \(share).")
    }
    if !store.isReadOnly {
      try asPostgresError { () throws(StoreError) in try store.synchronize() }
    }
    let snapshot = try asPostgresError { () throws(StoreError) in try store.snapshot() }
    let connection = try checkedConnection()
    let device = try connection.device(name, of: snapshot, in: schema, owner: owner)
    var push = Push(
      snapshot: snapshot, connection: connection, schema: schema, owner: owner, device: device)
    return try push.run(removingAtMost: share, progress)
  }
}

extension PostgresError {
  static func otherSpace(_ space: EmbeddingSpace, _ expected: EmbeddingSpace) -> PostgresError {
    PostgresError(
      .spaceMismatch,
      "The store holds vectors of \(space.summary), the table of \(expected.summary).")
  }
}
