import EmbeddingStores
import Foundation

/// This library, measured as the peers are: one thread, the same queries, the same checks.
struct OwnMeasurement {
  private let data: DataSet
  private let measurements: Measurements
  private let store: EmbeddingStore
  private let threadCount: Int
  private var putSeconds: Double
  private var compactionSeconds: Double
  private var times = [Latencies([]), Latencies([])]
  private var batchSeconds: [Double] = []
  private var exactCount = 0
  let checks = Checks()

  /// Puts all rows into a new store below `directory` and compacts it.
  init(_ data: DataSet, _ arguments: Arguments, directory: URL) throws {
    Console.progress("Building a store")
    self.data = data
    measurements = Measurements(data, arguments, directory: directory)
    let url = directory.appending(path: "own")
    // The peers have the rows as they are in the file, too.
    let building = try measurements.makeStore(at: url, space: data.space)
    putSeconds = try measurements.secondsToPut(into: building)
    compactionSeconds = try Stopwatch.seconds { try building.compact() }
    try building.close()
    threadCount = arguments.usedThreadCount
    store = try measurements.openStore(at: url, threadCount: threadCount)
  }

  var queryCount: Int { measurements.queries.count }

  /// Times single queries and batches, and checks the answers.
  mutating func measure() throws {
    Console.progress("Timing this library")
    let queries = measurements.queries
    for (index, count) in [10, 100].enumerated() {
      let search = TimedSearch(store: store, count: count)
      times[index] = times[index].adding(try Latencies(of: queries, search.run))
    }
    let group = Array(data.queries.prefix(100))
    batchSeconds.append(try measurements.secondsForBatch(group, store))
    try check()
  }

  private mutating func check() throws {
    let judge = AnswerJudge(data)
    exactCount = 0
    let count = min(10, data.answers[0].count)
    for (query, vector) in measurements.queries.enumerated() {
      let problem = judge.problem(
        try store.search(for: vector, count: count), query: query, answer: data.answers[query],
        count: count)
      checks.expectNone(problem.map { "query \(query) (\(data.queryNames[query])): \($0)" })
      if problem == nil { exactCount += 1 }
    }
  }

  /// What was measured so far.
  func line() -> PeerLine {
    let batchCount = Double(min(100, data.queries.count))
    let agreement = Double(exactCount) / Double(queryCount)
    return PeerLine(
      peer: "swift-embedding-store", version: nil, exact: true, rows: data.rowCount,
      dimension: data.dimension, threads: threadCount, buildSeconds: putSeconds,
      putRowsPerSecond: Double(data.rowCount) / putSeconds,
      byteCount: try? store.statistics().diskByteCount,
      p50MsK10: times[0].median * 1e3, p99MsK10: times[0].percentile(99) * 1e3,
      p50MsK100: times[1].median * 1e3, p99MsK100: times[1].percentile(99) * 1e3,
      batchQueriesPerSecond: batchCount / Latencies(batchSeconds).median,
      recallAt10: agreement == 1 ? 1 : nil, agreementAt10: agreement,
      note: "float16 in a mapped file; put is crash-safe; compaction took "
        + "\(Decimals.text(compactionSeconds)) s more")
  }
}
