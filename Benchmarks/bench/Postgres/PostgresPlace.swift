import EmbeddingPostgres
import EmbeddingStores
import Foundation

/// The server of a run, and tables there: one for the library, one for psycopg.
struct PostgresPlace {
  let table: PostgresTable
  private let insertedTable: PostgresTable
  private let connectionString: String
  private let space: EmbeddingSpace

  static func connectionString() throws(BenchError) -> String {
    guard let string = ProcessInfo.processInfo.environment["EMBEDDING_POSTGRES"] else {
      throw BenchError(
        "There is no server. Run it so: Tests/PostgresServer/run.sh swift run -c release bench "
          + "postgres")
    }
    return string
  }

  init(_ connectionString: String, _ space: EmbeddingSpace) async throws {
    self.connectionString = connectionString
    self.space = space
    table = try await Self.emptyTable("bench_copied", connectionString, space)
    insertedTable = try await Self.emptyTable("bench_inserted", connectionString, space)
  }

  /// Another table of the same kind.
  func emptyTable(_ name: String) async throws -> PostgresTable {
    try await Self.emptyTable(name, connectionString, space)
  }

  private static func emptyTable(
    _ name: String, _ connectionString: String, _ space: EmbeddingSpace
  ) async throws -> PostgresTable {
    let server = PostgresServer(connectionString, timeout: .seconds(600))
    let table = try PostgresTable(PostgresSchema(name, space: space), on: server)
    try await table.create()
    guard try await table.count() == 0 else {
      throw BenchError("The table \(name) is not empty. Drop it and its companions first.")
    }
    return table
  }

  /// Seconds that psycopg takes for the same rows: from reading them on, and for inserting alone.
  func insertByPsycopg(_ data: DataSet) throws -> (total: Double, inserting: Double) {
    let script = try DataSetLocation.benchmarksFolder("Postgres", holding: "insert_rows.py")
      .appending(path: "insert_rows.py")
    let output = try python([
      script.path, connectionString, insertedTable.schema.table, data.directory.path,
      "\(data.rowCount)", "\(data.dimension)",
    ])
    let seconds = output.split(separator: " ").compactMap { Double($0) }
    guard seconds.count == 2 else {
      throw BenchError("insert_rows.py failed; its message is above.")
    }
    return (seconds[0] + seconds[1], seconds[1])
  }

  /// What the library's table takes on the server.
  func megabytes() throws -> Double {
    let output = try python([
      "-c",
      "import psycopg, sys\n"
        + "with psycopg.connect(sys.argv[1]) as connection:\n"
        + "  print(connection.execute('SELECT pg_total_relation_size(%s)', sys.argv[2:])"
        + ".fetchone()[0])",
      connectionString, table.schema.table,
    ])
    return (Double(output) ?? .nan) / 1e6
  }

  private func python(_ arguments: [String]) throws -> String {
    guard let python = ProcessInfo.processInfo.environment["EMBEDDING_POSTGRES_PYTHON"] else {
      throw BenchError("EMBEDDING_POSTGRES_PYTHON names no Python with psycopg.")
    }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: python)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
