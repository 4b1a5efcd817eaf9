import EmbeddingStores
import Foundation

extension Measurements {
  private static let batchRowCount = 1_000

  /// Puts all rows in batches of 1,000, and writes as many bytes to a plain file in as many pieces;
  /// in turns, and reports the medians.
  mutating func measurePut(at url: URL) throws {
    let runs = data.rowCount <= 200_000 ? 5 : 1
    var putSeconds: [Double] = []
    var writeSeconds: [Double] = []
    var memoryByteCount = 0
    for _ in 0..<runs {
      try? FileManager.default.removeItem(at: url)
      let store = try makeStore(at: url)
      putSeconds.append(try secondsToPut(into: store))
      let statistics = try store.statistics()
      memoryByteCount = statistics.privateMemoryByteCount
      try store.close()
      writeSeconds.append(try secondsToWrite(statistics.journalByteCount))
    }
    let put = putSeconds.sorted()[runs / 2]
    let write = writeSeconds.sorted()[runs / 2]
    figures.append(
      Figure(
        "put", "put, batches of 1,000", Double(data.rowCount) / put, .rowsPerSecond,
        ratio: write / put, to: "plain writing of the same bytes"))
    figures.append(
      Figure(
        "memory_journal", "private memory, all rows in the journal",
        Double(memoryByteCount) / 1e6, .megabytes, ratio: Double(memoryByteCount) / scanByteCount,
        to: "the rows' bytes"))
  }

  /// The time inside `put`; making the records is not in it.
  func secondsToPut(into store: EmbeddingStore) throws -> Double {
    var seconds = 0.0
    for batch in data.batches(of: Self.batchRowCount) {
      let records = batch.map(data.plainRecord)
      seconds += try Stopwatch.seconds { try store.put(records) }
    }
    return seconds
  }

  /// The time inside `write`; making the bytes is not in it, as for `put`.
  private func secondsToWrite(_ byteCount: Int) throws -> Double {
    let url = directory.appending(path: "plain")
    defer { try? FileManager.default.removeItem(at: url) }
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
      throw BenchError("\(url.path) cannot be made.")
    }
    let file = try FileHandle(forWritingTo: url)
    let batches = data.batches(of: Self.batchRowCount)
    var seconds = 0.0
    for batch in batches {
      var piece = data.withHalves(ofRows: batch) { Data(buffer: $0) }
      piece.append(Data(count: max(0, byteCount / batches.count - piece.count)))
      seconds += try Stopwatch.seconds { try file.write(contentsOf: piece) }
    }
    try file.close()
    return seconds
  }

  /// Compacts the store, whose rows are all in the journal.
  mutating func measureCompaction(at url: URL) throws {
    let store = try makeStore(at: url)
    let seconds = try Stopwatch.seconds { try store.compact() }
    let statistics = try store.statistics()
    try store.close()
    figures.append(Figure("compaction_seconds", "compaction", seconds, .seconds))
    figures.append(
      Figure("compaction", "compaction", Double(data.rowCount) / seconds, .rowsPerSecond))
    figures.append(
      Figure(
        "disk", "on disk, compacted", Double(statistics.diskByteCount) / 1e6, .megabytes,
        ratio: Double(statistics.diskByteCount) / scanByteCount, to: "the rows' bytes"))
  }
}
