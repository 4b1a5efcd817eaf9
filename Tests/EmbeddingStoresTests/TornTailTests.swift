import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// A journal whose last commit was cut short by a kill or a power failure.
@Suite struct TornTailTests {
  @Test func aCutAtAnyByteOfTheLastCommitLeavesTheEarlierOnes() throws {
    let directory = try TemporaryDirectory()
    var store: EmbeddingStore? = try EmbeddingStore(at: directory.store(), space: .small)
    try store?.put(numberedRecords(0..<3))
    try store?.remove(["k1"])
    let whole = try #require(try store?.statistics().journalByteCount)
    try store?.put([
      Record(key: "last", vector: axisVector(0), labels: ["l"], metadata: Data([1]), text: "t")
    ])
    let end = try #require(try store?.statistics().journalByteCount)
    store = nil
    #expect(end - whole > 100)
    for length in whole...end {
      let url = try directory.store().copied(to: directory.store("cut \(length)"))
      let journal = try FileHandle(forWritingTo: url.appending(path: "journal-1"))
      try journal.truncate(atOffset: UInt64(length))
      try journal.close()
      let cut = try EmbeddingStore(at: url, space: .small)
      let isWhole = length == end
      #expect(cut.openReport.unfinishedByteCount == (isWhole ? 0 : length - whole))
      #expect(cut.openReport.journalByteCount == (isWhole ? end : whole))
      #expect(cut.openReport.replayedCommitCount == (isWhole ? 3 : 2))
      #expect(Set(try cut.keys()) == (isWhole ? ["k0", "k2", "last"] : ["k0", "k2"]))
      #expect(try cut.verify().isIntact)
      try cut.put(numberedRecords(5..<6))
      #expect(try cut.count() == (isWhole ? 4 : 3))
      try cut.close()
      let again = try EmbeddingStore(at: url, space: .small)
      #expect(again.openReport.unfinishedByteCount == 0)
      #expect(try again.count() == (isWhole ? 4 : 3))
      #expect(try again.contains("k5"))
      try again.close()
      try FileManager.default.removeItem(at: url)
    }
  }

  @Test(arguments: [1, 8, 100, 70_000])
  func bytesBehindTheLastCommitAreLeftBehind(byteCount: Int) throws {
    let directory = try TemporaryDirectory()
    do {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      try store.put(numberedRecords(0..<3))
    }
    for filling: UInt8 in [0, 0xa5] {
      let url = try directory.store().copied(to: directory.store("\(filling)"))
      let journal = try FileHandle(forWritingTo: url.appending(path: "journal-1"))
      try journal.seekToEnd()
      try journal.write(contentsOf: Data(repeating: filling, count: byteCount))
      try journal.close()
      let before = try DirectoryImage(url)
      let reader = try EmbeddingStore(readingAt: url)
      #expect(reader.openReport.unfinishedByteCount == byteCount)
      #expect(try reader.count() == 3)
      #expect(try DirectoryImage(url) == before)
      let store = try EmbeddingStore(at: url, space: .small)
      try store.put(numberedRecords(3..<4))
      #expect(try reader.refresh())
      #expect(try reader.count() == 4)
    }
  }

  @Test func aCutBehindACleanCloseIsDamageThatCanBeSalvaged() throws {
    let directory = try TemporaryDirectory()
    do {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      try store.put(numberedRecords(0..<3))
      try store.put(numberedRecords(3..<6))
      try store.close()
    }
    let url = directory.store().appending(path: "journal-1")
    let size = try Data(contentsOf: url).count
    let journal = try FileHandle(forWritingTo: url)
    try journal.truncate(atOffset: UInt64(size - 1))
    try journal.close()
    let before = try DirectoryImage(directory.url)
    for _ in 0..<2 {
      expectError(.journalCorrupt, naming: "journal-1", "salvage") {
        _ = try EmbeddingStore(at: directory.store(), space: .small)
      }
      expectError(.journalCorrupt) { _ = try EmbeddingStore(readingAt: directory.store()) }
    }
    #expect(try DirectoryImage(directory.url) == before)
    var configuration = StoreConfiguration()
    configuration.recovery = .salvage
    do {
      let store = try EmbeddingStore(
        at: directory.store(), space: .small, configuration: configuration)
      #expect(Set(try store.keys()) == ["k0", "k1", "k2"])
      #expect(try DirectoryImage(directory.url) == before)
      try store.put(numberedRecords(9..<10))
    }
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    #expect(Set(try store.keys()) == ["k0", "k1", "k2", "k9"])
  }
}
