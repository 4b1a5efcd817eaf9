import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingPostgres

@Suite(.needsServer) struct PushTests {
  @Test(arguments: [PostgresSchema.VectorType.halfvec, .vector])
  func everyKindOfRecordComesBackAsItWas(vectorType: PostgresSchema.VectorType) async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table(namespace.schema(vectorType: vectorType))
    let store = try TestRecords.store(TestRecords.records(0..<5_000))
    let progress = try await table.push(store, device: "phone")
    #expect(progress.completedCount == 5_000 && progress.totalCount == 5_000)
    try await expectEqual(table, store)
  }

  @Test func aSecondPushSendsWhatChangedAndRemovesWhatIsGone() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let store = try TestRecords.store(TestRecords.records(0..<1_000))
    try await table.push(store, device: "phone")
    #expect(try await table.push(store, device: "phone").completedCount == 0)

    try store.put(TestRecords.records(100..<150, version: 1))
    try store.put(TestRecords.records(1_000..<1_010))
    try store.update([RecordUpdate(key: TestRecords.key(7), labels: .set(["new"]))])
    try store.remove((200..<300).map(TestRecords.key))
    let progress = try await table.push(store, device: "phone")
    #expect(progress.completedCount == 61 && progress.removedCount == 100)
    try await expectEqual(table, store)
  }

  @Test func anUnchangedVectorIsNotWrittenAgain() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let store = try TestRecords.store(TestRecords.records(0..<10))
    try await table.push(store, device: "phone")
    let schema = namespace.name
    try namespace.run(
      "CREATE TABLE \(schema).seen (key text)",
      """
      CREATE FUNCTION \(schema).note() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO \(schema).seen VALUES (old.key); RETURN new; END'
      """,
      "CREATE TRIGGER note BEFORE UPDATE OF embedding ON \(schema).photos "
        + "FOR EACH ROW EXECUTE FUNCTION \(schema).note()")
    let before = try namespace.run("SELECT xmin::text FROM \(namespace.name).photos ORDER BY key")
    try store.update([RecordUpdate(key: TestRecords.key(3), text: .set("another"))])
    try await table.push(store, device: "phone")
    let after = try namespace.run("SELECT xmin::text FROM \(namespace.name).photos ORDER BY key")
    #expect(zip(before, after).filter { $0 != $1 }.count == 1)
    #expect(try namespace.run("SELECT key FROM \(schema).seen").isEmpty)
    try store.put(TestRecords.records(3..<4, version: 1))
    try await table.push(store, device: "phone")
    #expect(try namespace.run("SELECT key FROM \(schema).seen") == [TestRecords.key(3)])
    try await expectEqual(table, store)
  }

  @Test func nothingIsRemovedWhenTheStoreLostTooMuch() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let store = try TestRecords.store(TestRecords.records(0..<100))
    try await table.push(store, device: "phone")
    try store.remove((0..<50).map(TestRecords.key))
    await expect(throwsCode: .tooManyRemovals) { try await table.push(store, device: "phone") }
    #expect(try await table.count() == 100)
    try await table.push(store, device: "phone", removingAtMost: 0.5)
    try await expectEqual(table, store)
  }

  @Test func severalDevicesPushTheirOwnRowsAndSharedOnes() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let other = try await namespace.table()
    let phone = try TestRecords.store(TestRecords.records(0..<9_000))
    let tablet = try TestRecords.store(TestRecords.records(4_000..<13_000))
    async let first = table.push(phone, device: "phone")
    async let second = other.push(tablet, device: "tablet")
    _ = try await (first, second)
    try await expectEqual(table, try TestRecords.store(TestRecords.records(0..<13_000)))
  }

  @Test func aDeviceThatOnlyPushesRemovesNothingThatOthersWrote() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let phone = try TestRecords.store(TestRecords.records(0..<10))
    try await table.push(phone, device: "phone")
    try await table.push(
      try TestRecords.store(TestRecords.records(10..<20)), device: "tablet")
    try phone.remove([TestRecords.key(3)])
    let progress = try await table.push(phone, device: "phone", removingAtMost: 1)
    #expect(progress.removedCount == 1)
    #expect(try await table.count() == 19)
  }

  @Test func aStoreThatLostCommitsBeginsAgainAndRemovesNothing() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let directory = try TemporaryDirectory()
    var store = try EmbeddingStore(at: directory.store(), space: TestRecords.space)
    try store.put(TestRecords.records(0..<10))
    let backup = try directory.store().copied(to: directory.store("backup"))
    try store.put(TestRecords.records(10..<20))
    try await table.push(store, device: "phone")
    store = try EmbeddingStore(at: backup, space: TestRecords.space)
    try await table.push(store, device: "phone")
    #expect(try await table.count() == 20)
    try await table.pull(into: store, device: "phone")
    try await expectEqual(table, store)
  }

  @Test func aWatermarkThatSomebodyElseMovedIsAConflict() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let store = try TestRecords.store(TestRecords.records(0..<10))
    let connection = try Connection(to: TestServer.server())
    let device = try connection.device(
      "phone", of: try store.snapshot(), in: namespace.schema(), owner: "")
    try await table.push(store, device: "phone")
    var moved = device
    moved.pushed = 1
    await expect(throwsCode: .conflict) {
      try connection.advance(
        device, to: moved, storeChange: 1, owner: "", in: namespace.schema())
    }
    #expect(try await table.push(store, device: "phone").completedCount == 0)
  }

  @Test func severalMayCreateOneTableAtOnce() async throws {
    let namespace = try TestNamespace()
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 { group.addTask { _ = try await namespace.table() } }
      try await group.waitForAll()
    }
  }

  @Test func cancellingEndsAPushAndTheNextOneGoesOn() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table()
    let store = try TestRecords.store(TestRecords.records(0..<9_000))
    let task = Task {
      try await table.push(store, device: "phone") { progress in
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await expect(throwsCode: .cancelled) { try await task.value }
    #expect(try await table.count() == 1_024)
    let progress = try await table.push(store, device: "phone")
    #expect(progress.completedCount == 9_000 - 1_024)
    try await expectEqual(table, store)
  }
}
