import EmbeddingPostgres
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Records of every kind, which a seed determines.
enum TestRecords {
  static let space = EmbeddingSpace(model: "it's a \"model\" \\ 1", revision: "1", dimension: 32)

  static func store(_ records: [Record] = []) throws -> EmbeddingStore {
    let store = try EmbeddingStore(inMemory: space)
    try store.put(records)
    return store
  }

  static func records(
    _ numbers: Range<Int>, version: Int = 0, dimension: Int = 32
  ) -> [Record] {
    numbers.map { number in
      var generator = SeededGenerator(seed: UInt64(number) << 8 | UInt64(version))
      return Record(
        key: key(number),
        vector: RandomVectors.vector(dimension: dimension, using: &generator),
        part: number % 5 == 4 ? UInt16(number % 7) * 10_000 : 0,
        timestamp: number % 3 == 0
          ? nil : Date(timeIntervalSince1970: Double(number) * 86_400.125 - 1e9),
        labels: Set(["beach", "dog", "naïve \"x\", {y}\\", "東京", ""].prefix(number % 5)),
        metadata: number % 4 == 0 ? nil : Data((0..<number % 50).map { UInt8($0 * 5) }),
        text: number % 6 == 0 ? nil : "text \(number) of version \(version) \u{1F600} 'quoted' \\N",
        revision: number % 2 == 0 ? nil : Revision("revision \(number)"))
    }
  }

  static func key(_ number: Int) -> String {
    switch number % 4 {
    case 0: "e\u{301} \(number)"
    case 1: "é \(number)"
    case 2: "\t'\"\\\(number)\n"
    default: "IMG_\(number).jpg"
    }
  }
}

/// Everything in a store, by key and part.
func contents(of store: some EmbeddingReader) throws -> [String: Record] {
  var contents: [String: Record] = [:]
  for row in try store.rows(changedSince: 0) {
    let name = "\(Array(row.key.utf8)) \(row.part)"
    contents[name] = try store.record(for: row.key, part: row.part)
  }
  return contents
}

/// Whether a table has exactly what a store has, as another store sees it that pulls everything.
func expectEqual(
  _ table: isolated PostgresTable, _ store: EmbeddingStore,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let copy = try EmbeddingStore(inMemory: store.space)
  try table.pull(into: copy, device: "checker \(UInt64.random(in: .min ... .max))")
  let (found, expected) = (try contents(of: copy), try contents(of: store))
  #expect(found.count == expected.count, sourceLocation: sourceLocation)
  #expect(found == expected, sourceLocation: sourceLocation)
  #expect(try table.count() == expected.count, sourceLocation: sourceLocation)
}
