import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingPostgres

/// The tables are on a file system of 32 MiB, which `Tests/PostgresServer/run.sh` mounts where it may.
@Suite(.enabled(if: TestServer.smallDisk != nil, "needs a server with a small file system"))
struct FullDiskTests {
  @Test func aFullDiskLeavesWholeBatchesAndThePushGoesOnWhenThereIsRoom() async throws {
    let namespace = try TestNamespace()
    let volume = "small_\(namespace.name)"
    try namespace.run(
      "CREATE TABLESPACE \(volume) LOCATION \(SQLName.literal(try #require(TestServer.smallDisk)))")
    defer {
      _ = try? namespace.run("DROP SCHEMA \(namespace.name) CASCADE")
      _ = try? namespace.run("DROP TABLESPACE \(volume)")
    }
    // Half of the room is taken by something else.
    try namespace.run(
      """
      CREATE TABLE \(namespace.name).ballast TABLESPACE \(volume) AS
      SELECT repeat(md5(number::text), 50) AS text FROM generate_series(1, 9000) AS number
      """)
    let table = try PostgresTable(
      namespace.schema(),
      on: PostgresServer(
        "\(try #require(TestServer.connectionString)) options='-c default_tablespace=\(volume)'"))
    try await table.create()
    let store = try TestRecords.store()
    var generator = SeededGenerator("FullDiskTests", seed: 1)
    var records = TestRecords.records(0..<9_000)
    for index in records.indices {
      // Nothing that the server could compress.
      let words = (0..<190).map { _ in generator.next() }
      records[index].metadata = words.withUnsafeBytes { Data($0) }
    }
    try store.put(records)

    let error = await expect(throwsCode: .diskFull) { try await table.push(store, device: "phone") }
    #expect(error?.sqlState == "53100")
    #expect(error?.serverMessage?.contains("No space left on device") == true)
    let count = try await table.count()
    #expect(count > 0 && count < 9_000 && count % 1_024 == 0, "\(count) rows are there")
    let copy = try EmbeddingStore(inMemory: store.space)
    try await table.pull(into: copy, device: "copy")
    let (arrived, all) = (try contents(of: copy), try contents(of: store))
    #expect(arrived.count == count && arrived.allSatisfy { all[$0.key] == $0.value })

    try namespace.run("DROP TABLE \(namespace.name).ballast")
    let progress = try await table.push(store, device: "phone")
    #expect(progress.completedCount == 9_000 - count)
    try await expectEqual(table, store)
  }
}
