import EmbeddingKernels
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Counts and sizes.
@Suite struct StatisticsTests {
  @Test func statisticsAddUp() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small, configuration: .manual)
    func check(live: Int, dead: Int, journal: Int) throws {
      let statistics = try store.statistics()
      #expect(statistics.rowCount == live)
      #expect(try store.count() == live)
      #expect(statistics.deadRowCount == dead)
      #expect(statistics.journalRowCount == journal)
      let files = try DirectoryImage(directory.store()).files
      let main = try #require(files["main-\(statistics.generation)"])
      let journal = try #require(files.first { $0.key.hasPrefix("journal-") }?.value)
      #expect(statistics.mainFileByteCount == main.count)
      #expect(statistics.journalByteCount == journal.count)
      #expect(statistics.diskByteCount == main.count + journal.count)
      #expect(KernelLevel(rawValue: statistics.kernelLevel)?.isAvailable == true)
      #expect(statistics.compactCodes == .absent)
      #expect(statistics.compactCodeByteCount == 0)
      let report = try store.verify()
      #expect(report.isIntact)
      #expect(report.checkedByteCount == statistics.diskByteCount)
    }
    try check(live: 0, dead: 0, journal: 0)
    try store.put(numberedRecords(0..<10))
    try check(live: 10, dead: 0, journal: 10)
    try store.put(numberedRecords(8..<12))
    try check(live: 12, dead: 2, journal: 14)
    try store.update([RecordUpdate(key: "k0", text: .set("t"))])
    try check(live: 12, dead: 3, journal: 15)
    let memory = try store.statistics().privateMemoryByteCount
    try store.compact()
    try check(live: 12, dead: 0, journal: 0)
    #expect(try store.statistics().privateMemoryByteCount < memory)
    try store.remove(["k0", "k1"])
    try check(live: 10, dead: 2, journal: 0)
    try store.removeAll()
    try check(live: 0, dead: 12, journal: 0)
  }

  @Test func aMappedMainFileCostsNoPrivateMemoryAndACopyDoes() throws {
    let directory = try TemporaryDirectory()
    do {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      try store.put(numberedRecords(0..<500))
      try store.compact()
    }
    var configuration = StoreConfiguration()
    let mapped = try EmbeddingStore(readingAt: directory.store(), configuration: configuration)
    configuration.mainFileAccess = .heap
    let heap = try EmbeddingStore(readingAt: directory.store(), configuration: configuration)
    let size = try heap.statistics().mainFileByteCount
    #expect(try heap.statistics().privateMemoryByteCount >= size)
    #expect(try mapped.statistics().privateMemoryByteCount < size)
    #expect(
      try heap.search(for: axisVector(0), count: 500)
        == mapped.search(for: axisVector(0), count: 500))
  }
}
