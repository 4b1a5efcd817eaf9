public import EmbeddingStores

/// The records of one owner on a PostgreSQL server with pgvector 0.8 or later.
///
/// ```swift
/// let table = try PostgresTable(
///   PostgresSchema("photos", space: store.space),
///   on: PostgresServer("postgresql://db.local/photos"), owner: "anna")
/// try await table.create()
/// try await table.push(store, device: "Anna's phone")
/// try await table.createIndexes()
/// let matches = try await table.search(Query(.vector(vector), count: 30))
/// ```
///
/// It has one connection, made by the first call, and again when the server ended it. Calls
/// take turns, on a thread of their own: waiting for the server takes none from Swift's pool. Make
/// several tables for several searches at once. A call ends soon after its task is cancelled.
public actor PostgresTable {
  /// What the table is.
  public nonisolated let schema: PostgresSchema
  /// Where it is.
  public nonisolated let server: PostgresServer
  /// Whose rows these are; the empty string when there is one owner only.
  public nonisolated let owner: String
  /// How searches find rows when they do not say.
  public nonisolated let searchMethod: SearchMethod
  /// The space of the vectors.
  public nonisolated var space: EmbeddingSpace { schema.space }

  private let executor = BlockingExecutor()
  private var connection: Connection?

  /// unsafe: the executor lives as long as the actor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Names a table; nothing is sent to the server yet.
  ///
  /// - Parameters:
  ///   - owner: At most 512 UTF-8 bytes, such as a user's identifier.
  ///   - searchMethod: How searches find rows when they do not say.
  /// - Throws: `.invalidArgument` for a schema or an owner that can not be.
  public init(
    _ schema: PostgresSchema, on server: PostgresServer, owner: String = "",
    searchMethod: SearchMethod = .graph()
  ) throws(PostgresError) {
    try schema.checked()
    try searchMethod.checked()
    guard owner.utf8.count <= 512, !owner.utf8.contains(0) else {
      throw PostgresError(
        .invalidArgument, "An owner has at most 512 UTF-8 bytes, without NUL.")
    }
    self.schema = schema
    self.server = server
    self.owner = owner
    self.searchMethod = searchMethod
  }

  /// Makes what is missing of the extension and the tables, in one transaction.
  ///
  /// - Throws: `.permissionDenied` when the role may not; `.missingExtension` when the server has no
  ///   pgvector, `.outdatedExtension` when it has an old one, and nothing is made; `.spaceMismatch` or
  ///   `.wrongTable` when the table is there and another one.
  public func create() throws(PostgresError) {
    let connection = try open()
    try connection.transaction { () throws(PostgresError) in
      // Two that create at once would meet in PostgreSQL's own tables: those of extensions belong
      // to the whole database.
      try connection.run("SELECT pg_advisory_xact_lock(hashtextextended('embeddings', 0))")
      try connection.run(PostgresSchema.extensionStatement)
      try connection.checkExtension()
      for statement in schema.tableStatements { try connection.run(statement) }
    }
    try connection.checkTable(schema)
  }

  /// Makes what is missing of the indexes, which takes long when there are many rows, however long the
  /// server's time-out is. Rows can not be pushed meanwhile. Make them after the first push: that is
  /// many times faster than letting each row find its place.
  ///
  /// - Parameter maintenanceMegabytes: Memory that the server may use for it. Building is several
  ///   times slower once the graph does not fit; nil for the server's own setting.
  public func createIndexes(maintenanceMegabytes: Int? = nil) throws(PostgresError) {
    let connection = try checkedConnection()
    connection.timeout = nil
    defer { connection.timeout = server.timeout }
    try connection.transaction { () throws(PostgresError) in
      try connection.set("statement_timeout", to: "0")
      if let maintenanceMegabytes {
        try connection.set("maintenance_work_mem", to: "\(maintenanceMegabytes)MB")
      }
      for statement in schema.indexStatements { try connection.run(statement) }
    }
    // The planner chooses between indexes by what is known of the rows.
    try connection.run("ANALYZE \(schema.name())")
  }

  /// Rows of the owner on the server.
  public func count() throws(PostgresError) -> Int {
    var count = 0
    try checkedConnection().run(
      "SELECT count(*) FROM \(schema.name()) WHERE owner = $1::text", [.text(owner)]
    ) { (row) throws(PostgresError) in count = Int(try row.integer(0, as: Int64.self) ?? 0) }
    return count
  }

  /// Ends the connection; the next call makes a new one.
  public func disconnect() {
    connection = nil
  }

  /// The connection, to a server that has the table and can search it.
  func checkedConnection() throws(PostgresError) -> Connection {
    let connection = try open()
    if !connection.isChecked { try connection.checkTable(schema) }
    return connection
  }

  private func open() throws(PostgresError) -> Connection {
    if let connection, connection.isUsable, connection.isQuiet { return connection }
    connection = nil
    let opened = try Connection(to: server)
    try opened.prepareSession(owner: owner, timeout: server.timeout)
    connection = opened
    return opened
  }
}
