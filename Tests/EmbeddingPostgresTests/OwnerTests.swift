import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingPostgres

@Suite(.needsServer) struct OwnerTests {
  @Test func ownersHaveTheSameKeysAndSeeTheirOwnRows() async throws {
    let namespace = try TestNamespace()
    let schema = namespace.schema(isolatesOwners: true)
    let anna = try await namespace.table(schema, owner: "anna")
    let bob = try await namespace.table(schema, owner: "bob")
    let annas = try TestRecords.store(TestRecords.records(0..<200))
    let bobs = try TestRecords.store(TestRecords.records(100..<400, version: 1))
    try await anna.push(annas, device: "phone")
    try await bob.push(bobs, device: "phone")
    try await expectEqual(anna, annas)
    try await expectEqual(bob, bobs)
    let query = Query(.vector(RandomVectors.vector(number: 1, dimension: 32)), count: 50)
    let (here, there) = (try await bobs.search(query), try await bob.search(query))
    #expect(here == there)
  }

  /// A role that is no superuser and forgets every condition.
  @Test func theServerItselfKeepsOwnersApart() async throws {
    let namespace = try TestNamespace()
    let schema = namespace.schema(isolatesOwners: true)
    let anna = try await namespace.table(schema, owner: "anna")
    try await anna.push(try TestRecords.store(TestRecords.records(0..<20)), device: "phone")
    let role = "role_\(namespace.name)"
    try namespace.run(
      "CREATE ROLE \(role) LOGIN", "GRANT USAGE ON SCHEMA \(namespace.name) TO \(role)",
      "GRANT ALL ON ALL TABLES IN SCHEMA \(namespace.name) TO \(role)")
    defer { _ = try? namespace.run("DROP OWNED BY \(role)", "DROP ROLE \(role)") }
    let server = PostgresServer("\(try #require(TestServer.connectionString)) user=\(role)")
    let connection = try Connection(to: server)
    func visibleCount() throws -> Int64? {
      var count: Int64?
      try connection.run("SELECT count(*) FROM \(schema.name())") { (row) throws(PostgresError) in
        count = try row.integer(0)
      }
      return count
    }
    #expect(try visibleCount() == 0)
    try connection.run("SELECT set_config('embeddings.owner', 'bob', false)")
    #expect(try visibleCount() == 0)
    await expect(throwsCode: .permissionDenied) {
      try connection.run(
        "INSERT INTO \(schema.name("_owners")) (owner) VALUES ('anna')")
    }
    try connection.run("SELECT set_config('embeddings.owner', 'anna', false)")
    #expect(try visibleCount() == 20)
    // The library says whose rows it wants, so the same role works through it.
    let bob = try PostgresTable(schema, on: server, owner: "bob")
    let store = try TestRecords.store(TestRecords.records(0..<30))
    try await bob.push(store, device: "phone")
    #expect(try await bob.count() == 30)
  }
}
