/// Where a server is, and how long to wait for it.
public struct PostgresServer: Sendable {
  /// What libpq calls connection parameters, such as `host`, by name.
  let parameters: [(name: String, value: String)]
  /// How long to wait for a connection, and for the server to get on with a statement.
  public var timeout: Duration

  /// Takes a connection string: a URI (`postgresql://user@host/database`) or pairs
  /// (`host=... dbname=...`), as everywhere with PostgreSQL. What it leaves out is taken from
  /// `PGHOST` and its like, and from `~/.pgpass`.
  ///
  /// The string is read when a table connects: `.invalidConnectionString` then, without its text, which
  /// may hold a password.
  public init(_ connectionString: String, timeout: Duration = .seconds(60)) {
    parameters = [("dbname", connectionString)]
    self.timeout = timeout
  }

  /// Takes libpq's connection parameters one by one, so that nothing in them needs quoting.
  public init(parameters: [String: String], timeout: Duration = .seconds(60)) {
    self.parameters = parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    self.timeout = timeout
  }
}
