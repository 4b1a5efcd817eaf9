internal import EmbeddingStores

/// What the server knows of one store on one device.
struct Device {
  /// Its number, which rows that it wrote have.
  let number: Int32
  /// Everything up to this change of the store is on the server.
  var pushed: Int64
  /// Everything up to this change of the server is in the store.
  var pulled: Int64
}

extension Connection {
  /// Finds a device, or notes it. A store that lost commits, such as one from a backup, begins again
  /// under another number, so that what it lacks is not taken for removed.
  func device(
    _ name: String, of snapshot: Snapshot, in schema: PostgresSchema, owner: String
  ) throws(PostgresError) -> Device {
    guard !name.utf8.contains(0), (1...512).contains(name.utf8.count) else {
      throw PostgresError(
        .invalidArgument, "A device has a name of 1 to 512 UTF-8 bytes, without NUL.")
    }
    let devices = schema.name("_devices")
    let identity: [WireValue] = [.text(owner), .text(name), .bytes(snapshot.storeIdentifier)]
    let changeNumber = try snapshot.postgresChangeNumber()
    // One that is known need not wait for whoever is pushing.
    if let known = try knownDevice(identity, changeNumber, in: schema) { return known }
    return try transaction { () throws(PostgresError) in
      // Holds on to the owner, so that two devices do not get one number.
      try run(
        """
        INSERT INTO \(schema.name("_owners")) AS t (owner) VALUES ($1::text)
        ON CONFLICT (owner) DO UPDATE SET newest_device = t.newest_device
        """, [.text(owner)])
      try run(
        """
        DELETE FROM \(devices)
        WHERE owner = $1::text AND name = $2::text AND store = $3::bytea
          AND store_change > $4::bigint
        """, identity + [.integer(changeNumber)])
      if let known = try knownDevice(identity, changeNumber, in: schema) { return known }
      try run(
        """
        WITH next AS (
          UPDATE \(schema.name("_owners")) SET newest_device = newest_device + 1
          WHERE owner = $1::text RETURNING newest_device
        )
        INSERT INTO \(devices) (owner, name, store, device)
        SELECT $1::text, $2::text, $3::bytea, newest_device FROM next
        """, identity)
      guard let device = try knownDevice(identity, changeNumber, in: schema) else {
        throw PostgresError(.conflict, "The device was removed meanwhile. Try again.")
      }
      return device
    }
  }

  private func knownDevice(
    _ identity: [WireValue], _ changeNumber: Int64, in schema: PostgresSchema
  ) throws(PostgresError) -> Device? {
    var device: Device?
    try run(
      """
      SELECT device, pushed, pulled FROM \(schema.name("_devices"))
      WHERE owner = $1::text AND name = $2::text AND store = $3::bytea
        AND store_change <= $4::bigint
      """, identity + [.integer(changeNumber)]
    ) { (row) throws(PostgresError) in
      device = Device(
        number: try row.integer(0) ?? 0, pushed: try row.integer(1) ?? 0,
        pulled: try row.integer(2) ?? 0)
    }
    return device
  }

  /// Takes the next `count` change numbers of an owner; answers the one before the first.
  ///
  /// Whoever has them keeps others from taking any until its transaction ends, so that numbers
  /// appear in their order, and none behind one that was read.
  func takeChanges(
    _ count: Int, owner: String, in schema: PostgresSchema
  ) throws(PostgresError) -> Int64 {
    var last: Int64?
    try run(
      """
      UPDATE \(schema.name("_owners")) SET change = change + $2::bigint WHERE owner = $1::text
      RETURNING change
      """, [.text(owner), .integer(Int64(count))]
    ) { (row) throws(PostgresError) in last = try row.integer(0) }
    guard let last else {
      throw PostgresError(.conflict, "The owner was removed meanwhile. Try again.")
    }
    return last - Int64(count)
  }

  /// The number of the newest change of an owner.
  func newestChange(
    of owner: String, in schema: PostgresSchema
  ) throws(PostgresError) -> Int64 {
    var change: Int64 = 0
    try run(
      "SELECT change FROM \(schema.name("_owners")) WHERE owner = $1::text", [.text(owner)]
    ) { (row) throws(PostgresError) in change = try row.integer(0) ?? 0 }
    return change
  }

  /// Moves a watermark, unless somebody else did.
  func advance(
    _ device: Device, to next: Device, storeChange: Int64, owner: String,
    in schema: PostgresSchema
  ) throws(PostgresError) {
    let count = try run(
      """
      UPDATE \(schema.name("_devices"))
      SET pushed = $4::bigint, pulled = $5::bigint,
        store_change = greatest(store_change, $6::bigint)
      WHERE device = $1::integer AND pushed = $2::bigint AND pulled = $3::bigint
        AND owner = $7::text
      """,
      [
        .integer(device.number), .integer(device.pushed), .integer(device.pulled),
        .integer(next.pushed), .integer(next.pulled), .integer(storeChange),
        .text(owner),
      ])
    guard count == 1 else {
      throw PostgresError(
        .conflict, "The same store is pushed or pulled by somebody else. Try again afterwards.")
    }
  }
}

extension Snapshot {
  /// The change number as PostgreSQL's bigint holds it.
  func postgresChangeNumber() throws(PostgresError) -> Int64 {
    guard let number = Int64(exactly: changeNumber) else {
      throw PostgresError(
        .limitExceeded, "The store's change number is beyond PostgreSQL's bigint.")
    }
    return number
  }
}
