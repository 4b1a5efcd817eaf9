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
  private var rounds: [Round] = []
  let checks = Checks()

  private struct Round {
    var ten: Latencies
    var hundred: Latencies
    var batchSeconds: Double
    var exactCount: Int
  }

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

  /// Times single queries and batches, and checks the answers: one round.
  mutating func measure() throws {
    Console.progress("Timing this library")
    let queries = measurements.queries
    rounds.append(
      Round(
        ten: try Latencies(of: queries, TimedSearch(store: store, count: 10).run),
        hundred: try Latencies(of: queries, TimedSearch(store: store, count: 100).run),
        batchSeconds: try measurements.secondsForBatch(Array(data.queries.prefix(100)), store),
        exactCount: try countExactAnswers()))
  }

  private func countExactAnswers() throws -> Int {
    let judge = AnswerJudge(data)
    var exactCount = 0
    let count = min(10, data.answers[0].count)
    for (query, vector) in measurements.queries.enumerated() {
      let problem = judge.problem(
        try store.search(for: vector, count: count), query: query, answer: data.answers[query],
        count: count)
      checks.expectNone(problem.map { "query \(query) (\(data.queryNames[query])): \($0)" })
      if problem == nil { exactCount += 1 }
    }
    return exactCount
  }

  /// What all rounds together measured.
  func line() -> PeerLine { line(rounds[...]) }

  /// What the last two rounds measured, between which a peer was.
  func lineOfLastRounds() -> PeerLine { line(rounds.suffix(2)) }

  private func line(_ rounds: ArraySlice<Round>) -> PeerLine {
    let ten = rounds.map(\.ten).reduce(Latencies([])) { $0.adding($1) }
    let hundred = rounds.map(\.hundred).reduce(Latencies([])) { $0.adding($1) }
    let batchCount = Double(min(100, data.queries.count))
    let exactShare =
      Double(rounds.map(\.exactCount).reduce(0, +)) / Double(rounds.count * queryCount)
    return PeerLine(
      peer: "swift-embedding-store", version: nil, exact: true, rows: data.rowCount,
      dimension: data.dimension, threads: threadCount, buildSeconds: putSeconds,
      putRowsPerSecond: Double(data.rowCount) / putSeconds,
      byteCount: try? store.statistics().diskByteCount,
      p50MsK10: ten.median * 1e3, p99MsK10: ten.percentile(99) * 1e3,
      p50MsK100: hundred.median * 1e3, p99MsK100: hundred.percentile(99) * 1e3,
      batchQueriesPerSecond: batchCount / Latencies(rounds.map(\.batchSeconds)).median,
      recallAt10: exactShare == 1 ? 1 : nil, agreementAt10: exactShare,
      note: "float16 in a mapped file; put is crash-safe; compaction took "
        + "\(Decimals.text(compactionSeconds)) s more")
  }
}
