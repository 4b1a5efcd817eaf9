import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Counts, sizes and verification.
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
      #expect(["scalar", "avx2", "avx512", "neon"].contains(statistics.kernelLevel))
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

  @Test func verifyFindsAFlippedBitWhereverItIs() throws {
    var generator = SeededGenerator("verifyFindsAFlippedBitWhereverItIs", seed: 10_001)
    let directory = try TemporaryDirectory()
    do {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      try store.put(numberedRecords(0..<50, labels: ["a"]))
      try store.compact()
      try store.put(numberedRecords(50..<60))
    }
    for prefix in ["main-", "journal-"] {
      for round in 0..<30 {
        let url = try directory.store().copied(to: directory.store("\(prefix)\(round)"))
        // Opened before the damage, so that only verification can find it.
        let store = try EmbeddingStore(readingAt: url)
        #expect(try store.verify().isIntact)
        let file = try url.file(startingWith: prefix)
        var bytes = try Data(contentsOf: file)
        // The journal's header is looked at only when a store is opened.
        let first = prefix == "main-" ? 0 : bytes.count - 10 * 100
        let index = Int.random(in: first..<bytes.count, using: &generator)
        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: bytes)
        try handle.close()
        let report = try store.verify()
        #expect(!report.isIntact, "\(prefix) byte \(index)")
        #expect(
          report.problems.allSatisfy { $0.code == .corrupt || $0.code == .journalCorrupt })
        #expect(
          report.problems.first.map { "\($0)".contains(file.lastPathComponent) } ?? false)
        try FileManager.default.removeItem(at: url)
      }
    }
  }
}
