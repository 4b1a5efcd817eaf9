import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// When codes are written, what is said of them, and what happens when they are damaged. That searches
/// by them are exact is the campaigns' business (`codes`, `bounds`).
@Suite struct CompactCodesTests {
  static let space = EmbeddingSpace(model: "codes", dimension: 64)
  static let rowCount = 4_200

  let directory: TemporaryDirectory
  let url: URL
  let vectors: [[Float]]

  /// A store with codes; made once for each test.
  init() throws {
    directory = try TemporaryDirectory()
    url = directory.store()
    var generator = SeededGenerator("CompactCodesTests", seed: 11_001)
    vectors = RandomVectors.clustered(
      Self.rowCount, clusterCount: 20, dimension: 64, using: &generator)
    let store = try EmbeddingStore(at: url, space: Self.space, configuration: .manual)
    try store.put(vectors.enumerated().map { Record(key: "\($0)", vector: $1) })
    try store.compact()
    try store.close()
  }

  @Test func statisticsTellOfThemAndTheyTakeLessThanRows() throws {
    let store = try EmbeddingStore(at: url, space: Self.space, configuration: .manual)
    var statistics = try store.statistics()
    #expect(statistics.compactCodes == .present)
    // The basis is a part of its own, which larger stores share among more rows.
    #expect(statistics.compactCodeByteCount < Self.rowCount * 128 * 6 / 10 + 20_000)
    try store.remove((0..<200).map { "\($0)" })
    try store.compact()
    statistics = try store.statistics()
    #expect(statistics.rowCount == 4_000 && statistics.compactCodes == .absent)
    #expect(statistics.compactCodeByteCount == 0)
  }

  @Test func aStoreThatIsToHaveNoneGetsNoneButReadsThoseThatAreThere() throws {
    var configuration = StoreConfiguration.manual
    configuration.writesCompactCodes = false
    let store = try EmbeddingStore(at: url, space: Self.space, configuration: configuration)
    #expect(try store.statistics().compactCodes == .present)
    let withCodes = try matches(store)
    try store.put([Record(key: "new", vector: vectors[0])])
    try store.remove(["new"])
    try store.compact()
    #expect(try store.statistics().compactCodes == .absent)
    #expect(try matches(store) == withCodes)
  }

  @Test func aBackupHasThemToo() throws {
    let store = try EmbeddingStore(at: url, space: Self.space, configuration: .manual)
    try store.backup(to: directory.store("backup"))
    let backup = try EmbeddingStore(readingAt: directory.store("backup"))
    #expect(try backup.statistics().compactCodes == .present)
    #expect(try matches(backup) == matches(store))
  }

  @Test func searchesDoWithoutDamagedCodesAndCompactionWritesNewOnes() throws {
    let expected = try matches(EmbeddingStore(readingAt: url))
    let main = try url.file(startingWith: "main-")
    for kind in [SectionKind.codeBasis, .codes] {
      let original = try Data(contentsOf: main)
      var damaged = original
      let section = try #require(
        try Self.header(original).sections.first { $0.kind == kind.rawValue })
      damaged[Int(section.offset + section.byteCount / 2)] ^= 4
      try damaged.write(to: main)
      let store = try EmbeddingStore(readingAt: url)
      #expect(try store.statistics().compactCodes == .present, "nobody has looked yet")
      #expect(try matches(store) == expected)
      #expect(try store.statistics().compactCodes == .damaged)
      #expect(try matches(store) == expected)
      #expect(try store.verify().problems.map(\.code) == [.corrupt])
      try original.write(to: main)
    }
    let store = try EmbeddingStore(at: url, space: Self.space, configuration: .manual)
    try store.put([Record(key: "new", vector: vectors[0].map { -$0 })])
    try store.compact()
    #expect(try store.statistics().compactCodes == .present)
  }

  @Test func damagedRowsAreNoReasonToGiveUpCodes() throws {
    let main = try url.file(startingWith: "main-")
    var bytes = try Data(contentsOf: main)
    let section = try #require(try Self.header(bytes).sections.first)
    for offset in stride(from: 0, to: section.byteCount, by: 512) {
      bytes[Int(section.offset + offset)] ^= 1
    }
    try bytes.write(to: main)
    let store = try EmbeddingStore(readingAt: url)
    expectError(.corrupt) { _ = try matches(store) }
    #expect(try store.statistics().compactCodes == .present)
  }

  @Test func progressEndsWithAllRowsAndCancellingAmongTheCodesChangesNothing() async throws {
    let store = try EmbeddingStore(at: url, space: Self.space, configuration: .manual)
    try store.put([Record(key: "new", vector: vectors[0])])
    let generation = try store.statistics().generation
    let total = Self.rowCount + 1
    let task = Task {
      try store.compact { progress in
        // More than half is done when codes are being written.
        if progress.completedRowCount > total / 2 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: StoreError.self) { try await task.value }
    #expect(try store.statistics().generation == generation)
    let completed = try progress(of: store)
    #expect(completed == completed.sorted() && completed.last == total)
    #expect(try store.statistics().generation == generation + 1)
  }

  private func progress(of store: EmbeddingStore) throws -> [Int] {
    var completed: [Int] = []
    try store.compact { completed.append($0.completedRowCount) }
    return completed
  }

  private func matches(_ store: EmbeddingStore) throws -> [[Match]] {
    try (0..<20).map { try store.search(for: vectors[$0 * 7], count: 12) }
  }

  private static func header(_ file: Data) throws -> MainHeader {
    try [UInt8](file.prefix(MainHeader.byteCount)).withRawSpan {
      try MainHeader($0, fileByteCount: UInt64(file.count), path: "")
    }
  }
}
