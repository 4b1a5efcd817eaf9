import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Bugs that users reported of other stores, about what a crash or a damaged file leads to. Each
/// test names its report; none of them may happen here.
@Suite struct ReportedCrashTests {
  // qdrant #1735, #3090, #3822: after a power failure the header of the log was illegal, the server
  // would not start, and people deleted the log.
  @Test func aJournalCutWithinItsHeaderCostsNoCompactedRow() throws {
    let memory = MemoryFileSystem()
    do {
      let store = try EmbeddingStore.open(on: memory)
      try store.put(numberedRecords(0..<20))
      try store.compact()
    }
    let journal = try memory.open("/store/journal-2", .readWrite)
    let header = try journal.read(at: 0, byteCount: JournalHeader.byteCount)
    var configuration = StoreConfiguration.manual
    configuration.recovery = .salvage
    for byteCount in 0..<header.count {
      try journal.truncate(to: UInt64(byteCount))
      expectError(.journalCorrupt, naming: "journal-2", "salvage") {
        _ = try EmbeddingStore.open(on: memory)
      }
      let salvaged = try EmbeddingStore.open(on: memory, configuration: configuration)
      #expect(try salvaged.count() == 20, "\(byteCount) bytes")
      #expect(try salvaged.search(for: axisVector(0), count: 100).count == 20)
      if byteCount == header.count - 1 {
        try salvaged.put(numberedRecords(20..<21))
        #expect(try EmbeddingStore.reader(on: memory).count() == 21)
      } else {
        try header.withRawSpan { try journal.write($0, at: 0) }
      }
    }
  }

  // chroma-core/hnswlib PR 47 (chroma #7510), pilot-shell #60: one wrong size in a file made later
  // writes go far behind its end, and it grew to terabytes.
  @Test(arguments: ["MANIFEST", "main-2", "journal-2"])
  func noDamagedFieldMakesAStoreGrow(name: String) throws {
    let whole = try filesOfASmallStore()
    let bytes = try #require(whole[name])
    let live = whole.values.reduce(0) { $0 + $1.count }
    for offset in stride(from: 0, to: min(bytes.count, 2_560), by: 4) {
      var damaged = whole
      for index in offset..<min(offset + 4, bytes.count) { damaged[name]?[index] = 0xff }
      let memory = try fileSystem(with: damaged)
      guard let store = try? EmbeddingStore.open(on: memory) else { continue }
      for round in 0..<10 {
        _ = try? store.put(numberedRecords(round..<round + 1))
        _ = try? store.compact()
      }
      let size = try memory.list("/store").reduce(0) {
        $0 + Int(try memory.attributes(of: "/store/\($1)")?.byteCount ?? 0)
      }
      // LOCK holds 64 KiB of ballast.
      #expect(size <= live * 5 / 2 + 65_536, "\(name) at \(offset)")
    }
  }

  private func filesOfASmallStore() throws -> [String: [UInt8]] {
    let memory = MemoryFileSystem()
    let store = try EmbeddingStore.open(on: memory)
    try store.put(numberedRecords(0..<10))
    try store.compact()
    try store.put(numberedRecords(10..<12))
    try store.close()
    var files: [String: [UInt8]] = [:]
    for name in ["MANIFEST", "main-2", "journal-2"] {
      let file = try memory.open("/store/\(name)", .read)
      files[name] = try file.read(at: 0, byteCount: Int(file.attributes().byteCount))
    }
    return files
  }

  private func fileSystem(with files: [String: [UInt8]]) throws -> MemoryFileSystem {
    let memory = MemoryFileSystem()
    try memory.createDirectory("/store")
    for (name, bytes) in files {
      let file = try memory.open("/store/\(name)", .create)
      try bytes.withRawSpan { try file.write($0, at: 0) }
    }
    return memory
  }

  // MemPalace #2106: the whole index was written again for every two records.
  @Test func tinyCommitsDoNotWriteTheStoreAgainAndAgain() throws {
    let memory = MemoryFileSystem()
    var configuration = StoreConfiguration()
    configuration.compaction.journalByteCount = 1 << 18
    let space = EmbeddingSpace(model: "test", dimension: 64)
    let store = try EmbeddingStore.open(on: memory, space: space, configuration: configuration)
    let commitCount = isSanitized ? 2_000 : 13_000
    var (payload, written, compactionCount) = (0, 0, 0)
    var last: [String: UInt64] = [:]
    for number in 0..<commitCount {
      let key = "key \(number)"
      let vector = RandomVectors.vector(number: number % 100, dimension: 64)
      try store.put(Record(key: key, vector: vector))
      payload += key.utf8.count + 2 * 64
      var sizes: [String: UInt64] = [:]
      for name in try memory.list("/store") where name != "LOCK" && name != "MANIFEST" {
        sizes[name] = try memory.attributes(of: "/store/\(name)")?.byteCount ?? 0
        written += Int((sizes[name] ?? 0) - (last[name] ?? 0))
        if last[name] == nil, name.hasPrefix("main-") { compactionCount += 1 }
      }
      last = sizes
    }
    #expect(compactionCount >= 2)
    #expect(written <= 20 * payload, "\(written) for \(payload) in \(compactionCount) files")
    #expect(try store.count() == commitCount)
  }

  // annoy #335; milvus PR 48662; trusty-tools #8232: the index file was replaced or cut in place
  // while it was mapped, and the process ended with SIGBUS.
  @Test func aMainFileCutByOthersDoesNoHarmOnTheHeapAndIsSeenAtTheNextOpening() throws {
    let directory = try TemporaryDirectory()
    do {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      try store.put(numberedRecords(0..<500))
      try store.compact()
      try store.close()
    }
    var configuration = StoreConfiguration()
    configuration.mainFileAccess = .heap
    let store = try EmbeddingStore(readingAt: directory.store(), configuration: configuration)
    let matches = try store.search(for: axisVector(0), count: 500)
    let main = try FileHandle(forWritingTo: directory.store().file(startingWith: "main-"))
    try main.truncate(atOffset: 20_000)
    try main.close()
    #expect(try store.search(for: axisVector(0), count: 500) == matches)
    #expect(try store.record(for: "k499")?.key == "k499")
    expectError(.corrupt, naming: "main-") { _ = try EmbeddingStore(readingAt: directory.store()) }
    expectError(.corrupt) { _ = try EmbeddingStore(at: directory.store(), space: .small) }
  }
}
