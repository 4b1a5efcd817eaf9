internal import EmbeddingStores

/// One push of a snapshot, batch by batch.
struct Push {
  let snapshot: Snapshot
  let connection: Connection
  let schema: PostgresSchema
  let owner: String
  var device: Device
  var progress = SyncProgress()

  /// Rows of a batch that is merged: each may take the server some milliseconds to find its place
  /// in the graph.
  private static let mergedRowCount = 1_024
  private static let copiedRowCount = 4_096
  private static let batchByteCount = 16 << 20
  /// Bytes that are collected before they are sent.
  private static let pieceByteCount = 256 << 10

  /// The change number that the owner has if nobody else wrote since our last batch went straight into
  /// the table; nil when batches must be merged.
  private var copiedUpTo: Int64?

  mutating func run(
    removingAtMost share: Double, _ report: (SyncProgress) -> Void
  ) throws(PostgresError) -> SyncProgress {
    let goal = try snapshot.postgresChangeNumber()
    guard device.pushed < goal else { return progress }
    // A device that begins has nothing there that could be gone here.
    if device.pushed > 0 || device.pulled > 0 {
      try removeMissing(atMost: share)
      report(progress)
    }
    let rows = try asPostgresError { () throws(StoreError) in
      try snapshot.rows(numberedAfter: UInt64(clamping: device.pushed))
    }
    progress.totalCount = rows.count
    var next = 0
    repeat {
      next = try pushBatch(rows, from: next, goal: goal)
      progress.completedCount = next
      report(progress)
    } while next < rows.count
    return progress
  }

  init(
    snapshot: Snapshot, connection: Connection, schema: PostgresSchema, owner: String,
    device: Device
  ) {
    self.snapshot = snapshot
    self.connection = connection
    self.schema = schema
    self.owner = owner
    self.device = device
  }

  /// One transaction: rows from `start` on, and the watermark. Answers where the next batch starts.
  private mutating func pushBatch(
    _ rows: [NumberedRow], from start: Int, goal: Int64
  ) throws(PostgresError) -> Int {
    var end = start
    var moved = device
    var copied: Int64?
    try connection.transaction { () throws(PostgresError) in
      // A slow network is no reason to give up; a device that stands still in the middle of a batch,
      // such as an app that was suspended, must not keep the others of its owner waiting.
      if let timeout = connection.timeout {
        try connection.set("statement_timeout", to: timeout.milliseconds(times: 10))
      }
      // As many numbers as there may be rows; that some are not used does no harm.
      let limit = copiedUpTo == nil ? Self.mergedRowCount : Self.copiedRowCount
      let count = min(limit, rows.count - start)
      let base = try connection.takeChanges(count, owner: owner, in: schema)
      let isCopying = start == 0 ? try canCopy() : copiedUpTo == base
      if !isCopying { try connection.makeStaging(for: schema) }
      end = try send(
        rows[start..<start + count], to: isCopying ? schema.name() : Staging.name, after: base)
      if !isCopying { try connection.merge(schema, device: device) }
      moved.pushed = end == rows.count ? goal : Int64(clamping: rows[end - 1].number)
      try connection.advance(device, to: moved, storeChange: moved.pushed, owner: owner, in: schema)
      copied = isCopying ? base + Int64(count) : nil
    }
    copiedUpTo = copied
    device = moved
    return end
  }

  /// Whether nothing is there that a row could meet, not even that one of its name was removed, and
  /// PostgreSQL lets us: not into a table that it shows in part.
  private func canCopy() throws(PostgresError) -> Bool {
    var canCopy = true
    try connection.run(
      "SELECT WHERE row_security_active($1::text::regclass)", [.text(schema.name())]
    ) { (_) throws(PostgresError) in canCopy = false }
    for table in [schema.name(), schema.name("_removed")] {
      try connection.run(
        "SELECT FROM \(table) WHERE owner = $1::text LIMIT 1", [.text(owner)]
      ) { (_) throws(PostgresError) in canCopy = false }
    }
    return canCopy
  }

  /// Copies rows until the batch is full; answers where it ended.
  private func send(
    _ rows: ArraySlice<NumberedRow>, to table: String, after base: Int64
  ) throws(PostgresError) -> Int {
    guard !rows.isEmpty else { return rows.endIndex }
    var end = rows.startIndex
    try connection.copy(
      "COPY \(table) (\(CopyEncoder.columns)) FROM STDIN WITH (FORMAT binary)"
    ) { (put) throws(PostgresError) in
      var encoder = CopyEncoder(owner: owner, vectorType: schema.vectorType, device: device.number)
      encoder.appendHeader()
      var byteCount = 0
      while end < rows.endIndex, byteCount < Self.batchByteCount {
        let stored = try asPostgresError { () throws(StoreError) in
          try snapshot.storedRecord(in: rows[end])
        }
        try encoder.append(stored, change: base + Int64(end - rows.startIndex) + 1)
        end += 1
        guard encoder.bytes.count >= Self.pieceByteCount else { continue }
        byteCount += encoder.bytes.count
        try put(encoder.bytes)
        encoder.removeAll()
      }
      encoder.appendTrailer()
      try put(encoder.bytes)
    }
    return end
  }
}
