import EmbeddingStores
import EmbeddingTestSupport
import Testing

@testable import EmbeddingPostgres

/// What those rely on who run their migrations themselves.
@Suite(.needsServer) struct MigrationTests {
  @Test(arguments: [false, true])
  func thePrintedScriptMayRunTwiceAndARoleNeedsNoMoreThanIsDocumented(
    isolatesOwners: Bool
  ) async throws {
    let namespace = try TestNamespace()
    let schema = namespace.schema(isolatesOwners: isolatesOwners)
    // Brings the extension, for which migrations of tests that run meanwhile would race.
    _ = try await namespace.table(namespace.schema(TestRecords.space, "other"))
    try TestServer.runByPsql(schema.script)
    try TestServer.runByPsql(schema.script)
    let role = "role_\(namespace.name)"
    let tables = ["", "_space", "_owners", "_devices", "_removed"].map(schema.name)
    try namespace.run(
      "CREATE ROLE \(role) LOGIN", "GRANT USAGE ON SCHEMA \(namespace.name) TO \(role)",
      "GRANT SELECT, INSERT, UPDATE, DELETE ON \(tables.joined(separator: ", ")) TO \(role)")
    defer { _ = try? namespace.run("DROP OWNED BY \(role)", "DROP ROLE \(role)") }
    let server = PostgresServer("\(try #require(TestServer.connectionString)) user=\(role)")
    let table = try PostgresTable(schema, on: server, owner: "anna")
    let store = try TestRecords.store(TestRecords.records(0..<300))
    try await table.push(store, device: "phone")
    try store.put(TestRecords.records(100..<150, version: 1))
    try store.remove([TestRecords.key(7)])
    try await table.push(store, device: "phone")
    try await expectEqual(table, store)
    let query = Query(.vector(RandomVectors.vector(number: 1, dimension: 32)), count: 10)
    let expected = try await store.search(query)
    #expect(try await table.search(query) == expected)
  }

  @Test(arguments: ["photos", "photos_owners", "photos_devices", "photos_removed"])
  func aTableThatShowsEveryOwnersRowsIsRefusedWhereTheyAreToBeKeptApart(
    suffix: String
  ) async throws {
    let namespace = try TestNamespace()
    let schema = namespace.schema(isolatesOwners: true)
    _ = try await namespace.table(schema)
    try namespace.run("ALTER TABLE \(namespace.name).\(suffix) NO FORCE ROW LEVEL SECURITY")
    let table = try PostgresTable(schema, on: TestServer.server(), owner: "anna")
    let error = await expect(throwsCode: .wrongTable) { try await table.count() }
    #expect(error?.message.contains("\"\(suffix)\"") == true)
    try await table.create()
    #expect(try await table.count() == 0)
  }
}
