import EmbeddingStores
import Foundation
import Testing

@testable import EmbeddingPostgres

@Suite struct ConnectionTests {
  private func table(_ server: PostgresServer) throws -> PostgresTable {
    try PostgresTable(PostgresSchema("photos", space: TestRecords.space), on: server)
  }

  @Test(arguments: [
    "host='unfinished", "postgresql://user:secret@[::1", "host=a\0b", "nonsense=secret",
    "postgresql:///x?secret=1",
  ])
  func aConnectionStringThatMeansNothingIsRefusedWithoutItsText(string: String) async throws {
    let table = try table(PostgresServer(string))
    let error = await expect(throwsCode: .invalidConnectionString) { try await table.count() }
    #expect(error.map { !"\($0)".contains("secret") } ?? false)
  }

  @Test func aServerThatIsNotThereIsAnError() async throws {
    let table = try table(PostgresServer("host=/nowhere/at/all dbname=x"))
    let error = await expect(throwsCode: .connectionFailed) { try await table.count() }
    #expect(error?.serverMessage?.contains("/nowhere/at/all") == true)
  }

  /// A socket that takes connections and never answers.
  @Test func aServerThatSaysNothingTimesOut() async throws {
    let silent = try SilentServer()
    let table = try table(
      PostgresServer(
        parameters: ["host": "127.0.0.1", "port": "\(silent.port)", "user": "x"],
        timeout: .milliseconds(200)))
    await expect(throwsCode: .timedOut) { try await table.count() }
  }

  @Test func waitingForAServerIsCancelled() async throws {
    let silent = try SilentServer()
    let table = try table(
      PostgresServer(parameters: ["host": "127.0.0.1", "port": "\(silent.port)", "user": "x"]))
    let task = Task { try await table.count() }
    try await Task.sleep(for: .milliseconds(100))
    task.cancel()
    await expect(throwsCode: .cancelled) { try await task.value }
  }

  @Test(.needsServer) func oddCharactersInParametersAreTakenAsTheyAre() async throws {
    let namespace = try TestNamespace()
    let role = "o'dd \\ \"röle\" %41"
    let quoted = SQLName.quoted(role)
    try namespace.run("CREATE ROLE \(quoted) LOGIN PASSWORD 'x'")
    defer { _ = try? namespace.run("DROP ROLE \(quoted)") }
    let string = try #require(TestServer.connectionString)
    let host = try #require(string.split(separator: " ").first { $0.hasPrefix("host=") }).dropFirst(
      5)
    let connection = try Connection(
      to: PostgresServer(parameters: [
        "host": String(host), "user": role, "dbname": "postgres", "password": "p'a ss\\",
      ]))
    var user: String?
    try connection.run("SELECT current_user::text") { (row) throws(PostgresError) in
      user = try row.text(0)
    }
    #expect(user == role)
  }

  @Test(.needsServer) func aStatementThatTakesTooLongTimesOutAndTheNextCallWorks() async throws {
    let namespace = try TestNamespace()
    try await namespace.table().disconnect()
    let table = try PostgresTable(
      namespace.schema(),
      on: PostgresServer(
        try #require(TestServer.connectionString), timeout: .milliseconds(500)))
    let blocker = try Connection(to: TestServer.server())
    try blocker.run("BEGIN")
    try blocker.run("LOCK TABLE \(namespace.name).photos")
    await expect(throwsCode: .timedOut) { try await table.count() }
    try blocker.run("ROLLBACK")
    #expect(try await table.count() == 0)
  }

  @Test(.needsServer) func aConnectionThatEndsDuringACallIsLostAndTheNextCallWorks() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let store = try TestRecords.store(TestRecords.records(0..<3_000))
    let schema = namespace.name
    try namespace.run(
      """
      CREATE FUNCTION \(schema).leave() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN IF new.change > 2000 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
      RETURN new; END'
      """,
      "CREATE TRIGGER leave BEFORE INSERT ON \(schema).photos "
        + "FOR EACH ROW EXECUTE FUNCTION \(schema).leave()")
    let error = await expect(throwsCode: .connectionLost) {
      try await table.push(store, device: "phone")
    }
    #expect(error?.serverMessage?.isEmpty == false)
    try namespace.run("DROP TRIGGER leave ON \(schema).photos")
    try await table.push(store, device: "phone")
    try await expectEqual(table, store)
  }

  @Test(.needsServer) func aConnectionThatTheServerEndedIsMadeAgain() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    #expect(try await table.count() == 0)
    try TestNamespace.endConnections(mentioning: namespace.name)
    #expect(try await table.count() == 0)
  }

  @Test(arguments: [
    ("0.8.0", true), ("0.8.5", true), ("0.10.0", true), ("1.0", true), ("0.7.4", false),
    ("0.8", true), ("nonsense", false),
  ])
  func theExtensionMustScanOn(version: String, isCurrent: Bool) {
    #expect(Connection.isCurrent(version) == isCurrent)
  }
}

/// Listens on the loopback interface and never answers.
private final class SilentServer: Sendable {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard bind(descriptor, pointer, length) == 0, listen(descriptor, 8) == 0 else {
          return Int32(-1)
        }
        return getsockname(descriptor, pointer, &length)
      }
    }
    guard status == 0 else { throw POSIXError(.EIO) }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }
}
