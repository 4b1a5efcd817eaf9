import EmbeddingPostgres
import EmbeddingStores
import EmbeddingTextSearch
import Foundation
import Testing

/// The examples that concern PostgreSQL. What needs a server is compiled, and run by the tests of
/// `EmbeddingPostgres` in other words.
@Suite struct PostgresExamples {
  private let space = EmbeddingSpace(model: "MobileCLIP-S1", revision: "1.0.0", dimension: 4)

  @Test func aSchemaIsPrinted() {
    let schema = PostgresSchema("photos", space: space)
    print(schema.script)

    #expect(schema.script.contains("halfvec(4)"))
  }

  @Test func aFileIsWrittenForPsql() throws {
    let store = try EmbeddingStore(inMemory: space)
    try store.put(Record(key: "a", vector: [1, 0, 0, 0]))
    let schema = PostgresSchema("photos", space: space)
    let url = URL.temporaryDirectory.appending(path: "rows-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }

    let file = try PostgresCopyFile(of: store, for: schema, at: url)
    print(file.script)  // for psql, run where the file is

    #expect(file.rowCount == 1)
  }

  @Test func anAppSearchesHereOrThere() async throws {
    let store = try EmbeddingStore(inMemory: space)
    try store.put(Record(key: "a", vector: [1, 0, 0, 0], labels: ["beach"]))

    let place: any EmbeddingSearching = store  // or: table
    let matches = try await place.search(
      Query(.vector([1, 0, 0, 0]), count: 30, filter: Filter(labels: [.any(["beach"])])))

    #expect(matches.map(\.key) == ["a"])
  }

  /// Needs a server.
  func aStoreMovesToAServer(_ store: EmbeddingStore, _ vector: [Float]) async throws {
    let table = try PostgresTable(
      PostgresSchema("photos", space: store.space),
      on: PostgresServer("postgresql://db.local/photos"), owner: "anna")
    try await table.create()
    try await table.push(store, device: "Anna's phone")
    try await table.createIndexes()
    let matches = try await table.search(Query(.vector(vector), count: 30))

    withExtendedLifetime(matches) {}
  }

  /// Needs a server.
  func twoDevicesFollowEachOther(
    _ table: PostgresTable, _ store: EmbeddingStore
  ) async throws {
    try await table.push(store, device: "Anna's phone") { progress in
      print("\(progress.completedCount) of \(progress.totalCount ?? 0)")
    }
    try await table.pull(into: store, device: "Anna's phone")
  }
}
