import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingPostgres

@Suite(.needsServer) struct BadInputTests {
  @Test func aTableOfAnotherSpaceIsRefused() async throws {
    let namespace = try TestNamespace()
    _ = try await namespace.table()
    for (space, code) in [
      (
        EmbeddingSpace(model: "another", revision: "1", dimension: 32),
        PostgresError.Code.spaceMismatch
      ),
      (
        EmbeddingSpace(model: TestRecords.space.model, revision: "2", dimension: 32), .spaceMismatch
      ),
      (
        EmbeddingSpace(model: TestRecords.space.model, revision: "1", dimension: 33), .spaceMismatch
      ),
      (
        EmbeddingSpace(
          model: TestRecords.space.model, revision: "1", dimension: 32, normalization: .none),
        .spaceMismatch
      ),
    ] {
      let table = try PostgresTable(namespace.schema(space), on: TestServer.server())
      await expect(throwsCode: code) { try await table.count() }
      await expect(throwsCode: code) { try await table.create() }
    }
    let other = try PostgresTable(
      namespace.schema(vectorType: .vector), on: TestServer.server())
    await expect(throwsCode: .wrongTable) { try await other.create() }
    let table = try await namespace.table()
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "x", dimension: 32))
    await expect(throwsCode: .spaceMismatch) { try await table.push(store, device: "phone") }
    await expect(throwsCode: .spaceMismatch) { try await table.pull(into: store, device: "phone") }
  }

  @Test func theTableItselfRefusesVectorsOfAnotherModel() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    try await table.push(try TestRecords.store(TestRecords.records(0..<1)), device: "phone")
    await expect(throwsCode: .serverError) {
      try namespace.run("UPDATE \(namespace.name).photos SET model = 'another'")
    }
  }

  @Test func aMissingTableIsNamed() async throws {
    let namespace = try TestNamespace()
    _ = try await namespace.table(namespace.schema(TestRecords.space, "other"))
    let table = try PostgresTable(namespace.schema(), on: TestServer.server())
    let error = await expect(throwsCode: .missingTable) { try await table.count() }
    #expect(error?.sqlState == "42P01" && error?.serverMessage?.contains("photos") == true)
  }

  @Test func aTableWithoutItsColumnsIsRefused() async throws {
    let namespace = try TestNamespace()
    _ = try await namespace.table()
    try namespace.run("ALTER TABLE \(namespace.name).photos DROP COLUMN change")
    let table = try PostgresTable(namespace.schema(), on: TestServer.server())
    await expect(throwsCode: .wrongTable) { try await table.count() }
  }

  @Test func aMissingOrOldExtensionIsNamed() async throws {
    let namespace = try TestNamespace()
    let database = "without_vector_\(namespace.name)"
    try namespace.run("CREATE DATABASE \(database)")
    defer { _ = try? namespace.run("DROP DATABASE \(database) WITH (FORCE)") }
    let server = PostgresServer(
      "\(try #require(TestServer.connectionString)) dbname=\(database)")
    let table = try PostgresTable(PostgresSchema("photos", space: TestRecords.space), on: server)
    await expect(throwsCode: .missingExtension) { try await table.count() }
    let connection = try Connection(to: server)
    try connection.run("CREATE EXTENSION vector")
    try connection.run("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
    let error = await expect(throwsCode: .outdatedExtension) { try await table.count() }
    #expect(error?.message.contains("0.7.4") == true)
    await expect(throwsCode: .outdatedExtension) { try await table.create() }
    var tables: Int64?
    try connection.run("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'photos%'") {
      (row) throws(PostgresError) in tables = try row.integer(0)
    }
    #expect(tables == 0)
  }

  @Test func aRoleWithoutRightsIsToldSo() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let role = "role_\(namespace.name)"
    try namespace.run(
      "CREATE ROLE \(role) LOGIN", "GRANT USAGE ON SCHEMA \(namespace.name) TO \(role)")
    defer { _ = try? namespace.run("DROP OWNED BY \(role)", "DROP ROLE \(role)") }
    let server = PostgresServer("\(try #require(TestServer.connectionString)) user=\(role)")
    let store = try TestRecords.store(TestRecords.records(0..<10))
    let poor = try PostgresTable(namespace.schema(), on: server)
    await expect(throwsCode: .permissionDenied) { try await poor.push(store, device: "phone") }
    // May register itself, and not write rows.
    try namespace.run(
      "GRANT SELECT ON ALL TABLES IN SCHEMA \(namespace.name) TO \(role)",
      "GRANT ALL ON \(namespace.name).photos_devices, \(namespace.name).photos_owners TO \(role)")
    await expect(throwsCode: .permissionDenied) { try await poor.push(store, device: "phone") }
    #expect(try await table.count() == 0)
    let another = try PostgresTable(namespace.schema(TestRecords.space, "other"), on: server)
    await expect(throwsCode: .permissionDenied) { try await another.create() }
  }

  /// A trigger says what a server says whose disk is full.
  @Test func aFullDiskLeavesWholeBatchesAndThePushGoesOn() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let schema = namespace.name
    try namespace.run(
      """
      CREATE FUNCTION \(schema).fill() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN IF new.change > 5000 THEN RAISE ''could not extend file'' USING ERRCODE = ''53100''; END IF;
      RETURN new; END'
      """,
      "CREATE TRIGGER fill BEFORE INSERT ON \(schema).photos "
        + "FOR EACH ROW EXECUTE FUNCTION \(schema).fill()")
    let store = try TestRecords.store(TestRecords.records(0..<9_000))
    let error = await expect(throwsCode: .diskFull) { try await table.push(store, device: "phone") }
    #expect(error?.serverMessage?.contains("could not extend file") == true)
    #expect(try await table.count() == 1_024)
    try namespace.run("DROP TRIGGER fill ON \(schema).photos")
    try await table.push(store, device: "phone")
    try await expectEqual(table, store)
  }

  @Test func whatPostgreSQLCanNotHoldIsNamedAndNothingOfItsBatchArrives() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let vector = [Float](repeating: 1, count: 32)
    for (record, code) in [
      (Record(key: "a\0b", vector: vector), PostgresError.Code.containsNUL),
      (Record(key: "text", vector: vector, text: "a\0"), .containsNUL),
      (Record(key: "label", vector: vector, labels: ["\0"]), .containsNUL),
      (Record(key: String(repeating: "k", count: 2_049), vector: vector), .limitExceeded),
      (Record(key: String(repeating: "k", count: 65_535), vector: vector), .limitExceeded),
      (
        Record(
          key: "time", vector: vector, timestamp: Date(timeIntervalSince1970: -9e15)),
        .limitExceeded
      ),
    ] {
      let store = try TestRecords.store(TestRecords.records(0..<10))
      try store.put(record)
      let error = await expect(throwsCode: code) { try await table.push(store, device: "phone") }
      #expect(error?.key == record.key)
      #expect(try await table.count() == 0)
    }
  }

  @Test func theLongestKeysOwnersTextsAndMetadataAreHeld() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table(owner: String(repeating: "o", count: 512))
    var generator = SeededGenerator(seed: 1)
    let random = (0..<2_048).map { _ in
      Character(Unicode.Scalar(UInt8.random(in: 33...126, using: &generator)))
    }
    let words = (0..<200_000).map { "word\($0)" }.joined(separator: " ")
    let store = try TestRecords.store([
      Record(
        key: String(random), vector: [Float](repeating: 1, count: 32),
        metadata: Data((0..<16 << 20).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }), text: words
      ),
      Record(
        key: "the same word", vector: [Float](repeating: 1, count: 32),
        text: String(repeating: "a ", count: 1 << 20)),
    ])
    try await table.push(store, device: "phone")
    try await expectEqual(table, store)
  }
}
