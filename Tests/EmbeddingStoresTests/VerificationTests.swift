import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Verification of an open store finds damage on the disk.
@Suite struct VerificationTests {
  /// A part of a file, by its bytes; a negative end counts from the end of the file.
  struct Part: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let file: String
    let start: Int
    let endFromEnd: Int
  }

  // The main file has a header of 16 KiB, sections in one block, and one checksum of 4 bytes; the
  // journal has a header of 128 bytes.
  static let checked = [
    Part(testDescription: "sections", file: "main-", start: 16_384, endFromEnd: 4),
    Part(testDescription: "journal entries", file: "journal-", start: 128, endFromEnd: 0),
  ]
  static let headers = [
    Part(testDescription: "main header", file: "main-", start: 0, endFromEnd: 0),
    Part(testDescription: "journal header", file: "journal-", start: 0, endFromEnd: 0),
    Part(testDescription: "manifest", file: "MANIFEST", start: 0, endFromEnd: 0),
  ]

  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    try store.put(numberedRecords(0..<50, labels: ["a"]))
    try store.compact()
    try store.put(numberedRecords(50..<60))
  }

  @Test(arguments: checked)
  func aFlippedBitIsFoundWhereverItIs(part: Part) throws {
    var generator = SeededGenerator("aFlippedBitIsFoundWhereverItIs", seed: 10_001)
    for _ in 0..<60 {
      let size = try Data(contentsOf: directory.store().file(startingWith: part.file)).count
      let index = Int.random(in: part.start..<size - part.endFromEnd, using: &generator)
      let bit = UInt8.random(in: 0..<8, using: &generator)
      try expectFound(part.file, index, bit, .mapped)
    }
  }

  @Test(arguments: headers)
  func aFlippedBitOfAHeaderIsFound(part: Part) throws {
    for index in [0, 20, 33, 100] { try expectFound(part.file, index, 3, .mapped) }
  }

  @Test func aFlippedBitIsFoundWhereTheMainFileIsOnTheHeap() throws {
    for index in [16_384, 17_000] { try expectFound("main-", index, 0, .heap) }
    try expectFound("journal-", 300, 0, .heap)
  }

  @Test func openingCanVerify() throws {
    let url = directory.store("compacted")
    try EmbeddingStore(at: directory.store(), space: .small).backup(to: url)
    var configuration = StoreConfiguration()
    configuration.verifiesOnOpen = true
    _ = try EmbeddingStore(readingAt: url, configuration: configuration)
    let handle = try FileHandle(forUpdating: url.file(startingWith: "main-"))
    try handle.seek(toOffset: 16_500)
    let byte = try #require(try handle.read(upToCount: 1)?.first)
    try handle.seek(toOffset: 16_500)
    try handle.write(contentsOf: [byte ^ 1])
    try handle.close()
    // Without being asked to, opening reads no rows.
    _ = try EmbeddingStore(readingAt: url)
    let error = #expect(throws: StoreError.self) {
      try EmbeddingStore(readingAt: url, configuration: configuration)
    }
    #expect(error?.code == .corrupt)
  }

  /// Flips a bit of a copy of the store once that is open, so that only verification can find it.
  private func expectFound(
    _ prefix: String, _ index: Int, _ bit: UInt8, _ access: StoreConfiguration.MainFileAccess
  ) throws {
    let url = try directory.store().copied(to: directory.store("copy"))
    defer { try? FileManager.default.removeItem(at: url) }
    var configuration = StoreConfiguration()
    configuration.mainFileAccess = access
    let store = try EmbeddingStore(readingAt: url, configuration: configuration)
    #expect(try store.verify().isIntact)
    let file = try url.file(startingWith: prefix)
    let handle = try FileHandle(forUpdating: file)
    try handle.seek(toOffset: UInt64(index))
    let byte = try #require(try handle.read(upToCount: 1)?.first)
    try handle.seek(toOffset: UInt64(index))
    try handle.write(contentsOf: Data([byte ^ (1 << bit)]))
    try handle.close()
    let report = try store.verify()
    #expect(!report.isIntact, "byte \(index) of \(prefix)")
    for problem in report.problems {
      #expect([.corrupt, .journalCorrupt, .notAStore].contains(problem.code))
      #expect("\(problem)".contains(file.lastPathComponent))
    }
    #expect(report.checkedByteCount == (try store.statistics().diskByteCount))
  }
}
