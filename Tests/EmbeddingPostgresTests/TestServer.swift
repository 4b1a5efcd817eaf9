import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingPostgres

/// The server that `Tests/PostgresServer/run.sh` started.
enum TestServer {
  static let connectionString = ProcessInfo.processInfo.environment["EMBEDDING_POSTGRES"]
  static let restartCommand = ProcessInfo.processInfo.environment["EMBEDDING_POSTGRES_RESTART"]
  static let smallDisk =
    ProcessInfo.processInfo.environment["EMBEDDING_POSTGRES_SMALL_DISK"]
  static let psql = ProcessInfo.processInfo.environment["EMBEDDING_POSTGRES_PSQL"]

  static func server() throws -> PostgresServer {
    PostgresServer(try #require(connectionString))
  }

  /// The same, whose planner takes the graph even for few rows, where comparing all is cheaper.
  static func serverThatPrefersTheGraph() throws -> PostgresServer {
    let options = ["seqscan", "bitmapscan", "sort"].map { "-c enable_\($0)=off" }
    return PostgresServer(
      "\(try #require(connectionString)) options='\(options.joined(separator: " "))'")
  }

  /// Gives a script to psql, which must take all of it.
  static func runByPsql(_ script: String) throws {
    let process = Process()
    let input = Pipe()
    process.executableURL = URL(filePath: try #require(psql))
    process.arguments = [
      "-q", "-o", "/dev/null", "-v", "ON_ERROR_STOP=1", try #require(connectionString),
    ]
    process.standardInput = input
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(script.utf8))
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  /// Stops the server at once, as a crash would, and starts it again.
  static func restart() throws {
    let process = Process()
    process.executableURL = URL(filePath: try #require(restartCommand))
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips what needs a server when there is none.
  static var needsServer: Self {
    .enabled(
      if: TestServer.connectionString != nil,
      "needs a PostgreSQL server: run it by Tests/PostgresServer/run.sh")
  }
}

/// A PostgreSQL schema of its own for one test, gone when released.
final class TestNamespace: Sendable {
  let name = "test_\(UInt64.random(in: .min ... .max))"

  init() throws {
    try run("CREATE SCHEMA \(name)")
  }

  deinit { _ = try? run("DROP SCHEMA \(name) CASCADE") }

  func schema(
    _ space: EmbeddingSpace = TestRecords.space, _ table: String = "photos",
    vectorType: PostgresSchema.VectorType = .halfvec, isolatesOwners: Bool = false
  ) -> PostgresSchema {
    PostgresSchema(
      table, namespace: name, space: space, vectorType: vectorType, isolatesOwners: isolatesOwners)
  }

  /// A table that exists.
  func table(
    _ schema: PostgresSchema? = nil, owner: String = "", searchMethod: SearchMethod = .exact
  ) async throws -> PostgresTable {
    let server =
      if case .graph = searchMethod {
        try TestServer.serverThatPrefersTheGraph()
      } else {
        try TestServer.server()
      }
    let table = try PostgresTable(
      schema ?? self.schema(), on: server, owner: owner, searchMethod: searchMethod)
    try await table.create()
    return table
  }

  /// Ends the connections of other tables that last asked about something.
  static func endConnections(mentioning text: String) throws {
    try run(
      "SELECT pg_terminate_backend(pid, 5000)::text FROM pg_stat_activity "
        + "WHERE query LIKE '%\(text)%' AND pid <> pg_backend_pid()")
  }

  /// Runs statements as the superuser.
  @discardableResult
  func run(_ statements: String...) throws -> [String?] {
    try statements.flatMap { try Self.run($0) }
  }

  @discardableResult
  private static func run(_ statement: String) throws -> [String?] {
    let connection = try Connection(to: try TestServer.server())
    var texts: [String?] = []
    try connection.run(statement) { (row) throws(PostgresError) in
      texts.append(try row.text(0))
    }
    return texts
  }
}
