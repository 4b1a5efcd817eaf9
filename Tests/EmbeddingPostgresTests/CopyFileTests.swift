import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingPostgres

@Suite struct CopyFileTests {
  /// The bytes of PostgreSQL's documentation, written down by hand.
  @Test func theFileIsInTheBinaryCopyFormat() throws {
    let space = EmbeddingSpace(model: "m", dimension: 2, normalization: .none)
    let store = try EmbeddingStore(inMemory: space)
    try store.put(
      Record(
        key: "k", vector: [1, -2], part: 258, timestamp: Date(timeIntervalSince1970: 946_684_801),
        labels: ["a b"], metadata: Data([9]), text: nil, revision: Revision(rawValue: .max)))
    let directory = try TemporaryDirectory()
    let url = directory.url.appending(path: "rows.bin")
    let file = try PostgresCopyFile(
      of: store, for: PostgresSchema("t", space: space), at: url, owner: "o")
    var expected: [UInt8] = Array("PGCOPY\n".utf8) + [0xff, 0x0d, 0x0a, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    expected += [0, 12]
    expected += [0, 0, 0, 1] + Array("o".utf8)
    expected += [0, 0, 0, 1] + Array("k".utf8)
    expected += [0, 0, 0, 4, 0, 0, 1, 2]
    expected += [0, 0, 0, 8, 0, 0, 0, 0, 0, 0x0f, 0x42, 0x40]
    expected += [0, 0, 0, 27, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 1, 0, 0, 0, 1]
    expected += [0, 0, 0, 3] + Array("a b".utf8)
    expected += [0xff, 0xff, 0xff, 0xff]
    let words = file.words(in: [UInt8](try Data(contentsOf: url)), from: expected.count)
    expected += words
    expected += [0, 0, 0, 1, 9]
    expected += [0, 0, 0, 8, 0, 2, 0, 0, 0x3c, 0, 0xc0, 0]
    expected += [0, 0, 0, 8] + [UInt8](repeating: 0xff, count: 8)
    expected += [0, 0, 0, 4, 0, 0, 0, 0]
    expected += [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 1]
    expected += [0xff, 0xff]
    #expect([UInt8](try Data(contentsOf: url)) == expected)
    #expect(words.count == 4 + 4 + 2 * (2 + 2 + 2))
    #expect(file.rowCount == 1)
  }

  @Test func aRecordThatCanNotBeHeldLeavesNoFile() throws {
    let store = try TestRecords.store(TestRecords.records(0..<100))
    try store.put(Record(key: "nul\0", vector: [Float](repeating: 1, count: 32)))
    let directory = try TemporaryDirectory()
    let url = directory.url.appending(path: "rows.bin")
    #expect(throws: PostgresError.self) {
      try PostgresCopyFile(
        of: store, for: PostgresSchema("t", space: TestRecords.space), at: url)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
  }

  @Test func psqlReadsAPathFromOneLineSoOneOfSeveralIsRefused() async throws {
    let directory = try TemporaryDirectory()
    await expect(throwsCode: .invalidArgument) {
      try PostgresCopyFile(
        of: try TestRecords.store(), for: PostgresSchema("t", space: TestRecords.space),
        at: directory.url.appending(path: "rows'\nDROP TABLE photos;\n.bin"))
    }
  }

  @Test func cancellingLeavesTheFileThatWasThere() async throws {
    let store = try TestRecords.store(TestRecords.records(0..<100))
    let directory = try TemporaryDirectory()
    let url = directory.url.appending(path: "rows.bin")
    try Data("before".utf8).write(to: url)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try PostgresCopyFile(
        of: store, for: PostgresSchema("t", space: TestRecords.space), at: url)
    }
    await expect(throwsCode: .cancelled) { try await task.value }
    #expect(try Data(contentsOf: url) == Data("before".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).count == 1)
  }

  @Test(.needsServer) func psqlTakesTheFile() async throws {
    let namespace = try TestNamespace()
    let table = try await namespace.table(owner: "it's")
    let store = try TestRecords.store(TestRecords.records(0..<3_000))
    let directory = try TemporaryDirectory()
    let file = try PostgresCopyFile(
      of: store, for: table.schema, at: directory.url.appending(path: "o'dd rows.bin"),
      owner: "it's")
    try TestServer.runByPsql(file.script)
    try await expectEqual(table, store)
    try await table.push(store, device: "phone")
    try store.remove([TestRecords.key(1)])
    try await table.push(store, device: "phone")
    #expect(try await table.count() == 2_999)
  }
}

extension PostgresCopyFile {
  /// The field of words, whose order means nothing.
  fileprivate func words(in bytes: [UInt8], from start: Int) -> [UInt8] {
    let count = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    return Array(bytes[start..<start + 4 + count])
  }
}
