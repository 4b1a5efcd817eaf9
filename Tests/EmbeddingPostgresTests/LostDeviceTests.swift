import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingPostgres

/// A device that is gone, or stands still, must not keep others waiting.
@Suite(.needsServer) struct LostDeviceTests {
  @Test func aStatementEndsSoonAfterTheTaskThatWaitedForIt() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let blocker = try Connection(to: TestServer.server())
    try blocker.run("BEGIN")
    try blocker.run("LOCK TABLE \(namespace.name).photos")
    let task = Task { try await table.count() }
    try await wait { try activeCount(namespace) == 1 }
    task.cancel()
    await expect(throwsCode: .cancelled) { try await task.value }
    try await wait { try activeCount(namespace) == 0 }
    try blocker.run("ROLLBACK")
  }

  @Test func aDeviceThatStandsStillBetweenStatementsIsPassedBy() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table(owner: "anna")
    let store = try TestRecords.store(TestRecords.records(0..<20))
    try await table.push(store, device: "phone")
    let still = try Connection(to: TestServer.server())
    try still.prepareSession(owner: "anna", timeout: .milliseconds(300))
    try still.run("BEGIN")
    _ = try still.takeChanges(1, owner: "anna", in: namespace.schema())
    try store.put(TestRecords.records(20..<30))
    try await table.push(store, device: "phone")
    try await expectEqual(table, store)
    await expect(throwsCode: .connectionLost) { try still.run("COMMIT") }
  }

  /// A device can also stand still while rows are sent, so that has an end, too; but a slow one needs more
  /// time than for a statement.
  @Test func sendingABatchMayTakeTenTimeOuts() async throws {
    let namespace = try TestNamespace()
    let schema = namespace.name
    try await namespace.table().disconnect()
    try namespace.run(
      "CREATE TABLE \(schema).seen (timeout text)",
      """
      CREATE FUNCTION \(schema).note() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO \(schema).seen VALUES (current_setting(''statement_timeout'')); RETURN new; END'
      """,
      "CREATE TRIGGER note BEFORE INSERT ON \(schema).photos "
        + "FOR EACH ROW EXECUTE FUNCTION \(schema).note()")
    let table = try PostgresTable(
      namespace.schema(),
      on: PostgresServer(try #require(TestServer.connectionString), timeout: .seconds(90)))
    try await table.push(try TestRecords.store(TestRecords.records(0..<1)), device: "phone")
    #expect(try namespace.run("SELECT timeout FROM \(schema).seen") == ["15min"])
  }

  /// Statements of others that are at work on the namespace.
  private func activeCount(_ namespace: TestNamespace) throws -> Int {
    try namespace.run(
      "SELECT pid::text FROM pg_stat_activity WHERE state = 'active' "
        + "AND query LIKE '%\(namespace.name)%' AND pid <> pg_backend_pid()"
    ).count
  }

  private func wait(until isTrue: () throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while try !isTrue() {
      guard ContinuousClock.now < deadline else {
        Issue.record("it took more than 20 seconds")
        return
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}
