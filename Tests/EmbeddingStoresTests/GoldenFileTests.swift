import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Stores written by this and by earlier versions (Tests/Golden) hold what two scripts that share no
/// code with the library read in them: every record, the bits of every vector, and the order and
/// bits of scores.
@Suite struct GoldenFileTests {
  @Test func everyFormatVersionHasItsFiles() {
    let versions = Set(GoldenStore.all.map { $0.path.prefix { $0 != "/" } })
    #expect(versions == Set((1...FormatVersion.current).map { "\($0)" }))
    #expect(GoldenStore.all.count >= 7)
  }

  @Test(arguments: GoldenStore.all)
  func readingInPlaceFindsEverythingAndChangesNoByte(_ golden: GoldenStore) throws {
    let before = try DirectoryImage(golden.store)
    do {
      let store = try EmbeddingStore(readingAt: golden.store)
      try golden.expectEverything(in: store)
      #expect(try store.verify().isIntact)
      #expect((store.openReport.unfinishedByteCount > 0) == golden.path.hasSuffix("unfinished"))
      try store.close()
    }
    #expect(try DirectoryImage(golden.store) == before)
  }

  @Test(arguments: GoldenStore.all)
  func aCopyStaysTheSameThroughWritingCompactingAndReopening(_ golden: GoldenStore) throws {
    let directory = try TemporaryDirectory()
    let url = try golden.store.copied(to: directory.store())
    let space = try EmbeddingStore(readingAt: url).space
    do {
      let store = try EmbeddingStore(at: url, space: space, configuration: .manual)
      try golden.expectEverything(in: store)
      let vector = [Float](repeating: 1, count: space.dimension)
      try store.put(Record(key: "a key that no golden store has", vector: vector))
      try store.remove(["a key that no golden store has"])
      try golden.expectEverything(in: store)
      try store.compact()
      try golden.expectEverything(in: store)
    }
    let store = try EmbeddingStore(at: url, space: space)
    try golden.expectEverything(in: store)
    #expect(store.openReport.unfinishedByteCount == 0)
    #expect(try store.verify().isIntact)
    #expect(try store.statistics().deadRowCount == 0)
  }
}

/// A directory in Tests/Golden: a store, and what is in it.
struct GoldenStore: CustomTestStringConvertible, Sendable {
  /// Below Tests/Golden: the format version and a name.
  let path: String

  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Golden", directoryHint: .isDirectory)

  static let all: [GoldenStore] = {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: root.path)) ?? []
    return names.filter { $0.hasSuffix("/records.jsonl") }.sorted()
      .map { GoldenStore(path: String($0.dropLast("/records.jsonl".count))) }
  }()

  var testDescription: String { path }
  private var directory: URL { Self.root.appending(path: path, directoryHint: .isDirectory) }
  var store: URL { directory.appending(path: "store", directoryHint: .isDirectory) }

  func expectEverything(
    in store: EmbeddingStore, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      try ReadRecord.all(of: store) == lines("records.jsonl", as: ReadRecord.self),
      sourceLocation: sourceLocation)
    let rankings = try lines("matches.jsonl", as: Ranking.self)
    #expect(rankings.count == 3, sourceLocation: sourceLocation)
    for ranking in rankings {
      let matches = try store.search(
        Query(.vector(ranking.query), count: .max, grouping: .everyPart))
      #expect(matches.map(Ranking.Row.init) == ranking.matches, sourceLocation: sourceLocation)
    }
  }

  private func lines<Line: Decodable>(_ name: String, as: Line.Type) throws -> [Line] {
    let decoder = JSONDecoder()
    return try Data(contentsOf: directory.appending(path: name)).split(
      separator: UInt8(ascii: "\n")
    ).map { try decoder.decode(Line.self, from: Data($0)) }
  }
}

/// A line of `matches.jsonl`.
private struct Ranking: Decodable {
  struct Row: Equatable, Decodable {
    let key: [UInt8]
    let part: UInt16
    let scoreBits: UInt32

    init(_ match: Match) {
      key = Array(match.key.utf8)
      part = match.part
      scoreBits = match.score.bitPattern
    }

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      key = Array(try values.decode(String.self).utf8)
      part = try values.decode(UInt16.self)
      scoreBits = try values.decode(UInt32.self)
    }
  }

  let query: [Float]
  let matches: [Row]
}
