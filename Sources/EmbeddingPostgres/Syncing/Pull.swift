internal import EmbeddingStores

/// One pull into a store, page by page.
struct Pull {
  let store: EmbeddingStore
  let connection: Connection
  let schema: PostgresSchema
  let owner: String
  var device: Device
  var progress = SyncProgress()

  private static let pageRowCount = 4_096
  private static let batchByteCount = 8 << 20

  /// What this device wrote it has, or will push again.
  private static let isNew =
    "owner = $1::text AND change > $2::bigint AND device <> $3::integer"

  /// What came and is not in the store yet.
  private var puts: [Record] = []
  private var removals: [(key: String, part: UInt16)] = []
  private var byteCount = 0
  /// The store's change number, as long as nobody but this pull writes to it.
  private var storeChange: UInt64 = 0
  private var isAlone = false

  init(
    store: EmbeddingStore, connection: Connection, schema: PostgresSchema, owner: String,
    device: Device
  ) {
    self.store = store
    self.connection = connection
    self.schema = schema
    self.owner = owner
    self.device = device
  }

  mutating func run(
    _ report: (SyncProgress) -> Void
  ) throws(PostgresError) -> SyncProgress {
    let snapshot = try asPostgresError { () throws(StoreError) in try store.snapshot() }
    storeChange = snapshot.changeNumber
    // Only then is everything that the store has by the end on the server, and need not be pushed.
    isAlone = device.pushed == (try snapshot.postgresChangeNumber())
    while try pullPage() { report(progress) }
    progress.totalCount = progress.completedCount
    return progress
  }

  /// Answers whether there may be more. A page that is not full has all changes up to the one that was the
  /// newest when it was asked for.
  private mutating func pullPage() throws(PostgresError) -> Bool {
    let newest = try connection.newestChange(of: owner, in: schema)
    guard newest > device.pulled else { return false }
    var count = 0
    var last = newest
    try connection.run(
      """
      SELECT change, key, part, embedding, "timestamp", labels, text, metadata, content_revision
      FROM \(schema.name()) WHERE \(Self.isNew)
      UNION ALL
      SELECT change, key, part, NULL, NULL, NULL, NULL, NULL, NULL
      FROM \(schema.name("_removed")) WHERE \(Self.isNew)
      ORDER BY change LIMIT $4::bigint
      """,
      [
        .text(owner), .integer(device.pulled), .integer(device.number),
        .integer(Self.pageRowCount),
      ]
    ) { (row) throws(PostgresError) in
      try take(row)
      count += 1
      if count == Self.pageRowCount { last = try row.integer(0) ?? 0 }
      if byteCount >= Self.batchByteCount { try commit() }
    }
    try commit()
    // What the server believes to be here must not be lost by a power failure.
    try asPostgresError { () throws(StoreError) in try store.synchronize() }
    var moved = device
    moved.pulled = last
    let snapshot = try asPostgresError { () throws(StoreError) in try store.snapshot() }
    if isAlone { moved.pushed = Int64(clamping: storeChange) }
    try connection.advance(
      device, to: moved, storeChange: try snapshot.postgresChangeNumber(), owner: owner,
      in: schema)
    device = moved
    return true
  }

  private mutating func take(_ row: ResultRow) throws(PostgresError) {
    guard let key = try row.text(1),
      let part = UInt16(exactly: try row.integer(2, as: Int32.self) ?? -1)
    else { throw WireReader.malformed }
    progress.completedCount += 1
    guard let embedding = row.bytes(3) else {
      removals.append((key, part))
      progress.removedCount += 1
      return
    }
    let record = try RowDecoder(schema).record(row, key: key, part: part, embedding: embedding)
    byteCount += embedding.count + (record.text?.utf8.count ?? 0) + (record.metadata?.count ?? 0)
    puts.append(record)
  }

  /// One commit of what came.
  private mutating func commit() throws(PostgresError) {
    defer {
      puts = []
      removals = []
      byteCount = 0
    }
    do throws(StoreError) {
      let snapshot = try store.snapshot()
      var changed: [Record] = []
      for record in puts
      where try snapshot.record(for: record.key, part: record.part) != record {
        changed.append(record)
      }
      guard !changed.isEmpty || !removals.isEmpty else { return }
      let (before, commit) = try store.apply(changed, removing: removals)
      if before != storeChange { isAlone = false }
      storeChange = commit.changeNumber
    } catch {
      guard Self.blamesRow.contains(error.code) else { throw PostgresError(error) }
      throw PostgresError(
        .invalidRow, "A row of the table is none that the store can hold. \(error.message)",
        key: error.key)
    }
  }

  /// What a store says of records that it does not take.
  private static let blamesRow: Set<StoreError.Code> = [
    .invalidKey, .wrongDimension, .notFinite, .zeroVector, .outOfRange, .limitExceeded,
    .invalidArgument,
  ]
}
