import EmbeddingStores
import EmbeddingTextSearch
import Foundation

/// Times a text index and FTS5 used directly, in turns, on the same texts.
struct TextMeasurements {
  let records: TextRecords
  var pair: TextPair
  private(set) var figures: [Figure] = []
  private let checks: Checks

  /// Rows that are taken in by one transaction, as `TextIndex` does.
  private static let rowsPerTransaction = 4_096
  private static let yardstick = "that of FTS5 used directly"

  init(_ records: TextRecords, _ checks: Checks, in folder: URL) throws {
    self.records = records
    self.checks = checks
    pair = try TextPair(records.corpus.script, in: folder)
  }

  var script: TextCorpus.Script { records.corpus.script }

  mutating func run() throws {
    Console.progress("Taking in and following (\(script.rawValue))")
    try measureAdding()
    try measureFollowing()
    try measureSize()
    let samples = WordSamples(records)
    let answers = TextAnswers(pair, checks)
    Console.progress("Checking answers (\(script.rawValue))")
    try answers.check(samples, script)
    Console.progress("Timing searches (\(script.rawValue))")
    try measureSearches(samples)
    try measureHybrid(samples)
  }

  mutating func add(
    _ name: String, _ label: String, _ value: Double, _ unit: Figure.Unit, against other: Double?
  ) {
    figures.append(
      Figure(
        "text_\(script.rawValue)_\(name)", "\(script.rawValue): \(label)", value, unit,
        ratio: other.map { value / $0 }, to: other == nil ? nil : Self.yardstick))
  }

  // MARK: - Taking in

  /// All rows in some portions, each by both in turns.
  private mutating func measureAdding() throws {
    let count = records.texts.count
    var seconds = (ours: 0.0, direct: 0.0)
    for portion in (0..<count).batches(of: 8 * Self.rowsPerTransaction) {
      for batch in portion.batches(of: Self.rowsPerTransaction) {
        try pair.store.put(batch.map { records.record($0) })
      }
      seconds.ours += try Stopwatch.seconds { try pair.index.catchUp() }
      seconds.direct += try Stopwatch.seconds {
        for batch in portion.batches(of: Self.rowsPerTransaction) {
          try pair.direct.change(adding: batch.map { ($0, records.texts[$0]) })
        }
      }
    }
    pair.rows.formUnion(0..<count)
    let perRow = 1e6 / Double(count)
    add(
      "add", "taking in a row", seconds.ours * perRow, .microseconds,
      against: seconds.direct * perRow)
  }

  /// Commits of 100 changes: 50 new rows, 30 other texts, 20 removals.
  private mutating func measureFollowing() throws {
    let count = records.texts.count
    var seconds: (ours: [Double], direct: [Double]) = ([], [])
    for round in 0..<min(50, count / 100) {
      let new = (0..<50).map { count + round * 50 + $0 }
      let changed = (0..<30).map { round * 50 + $0 }
      let gone = (30..<50).map { round * 50 + $0 }
      let texts = (new + changed).map {
        (row: $0, text: records.corpus.text(2 * count + $0).text)
      }
      try pair.store.put(texts.map { records.record($0.row, text: $0.text) })
      try pair.store.remove(gone.map(TextRecords.key))
      pair.rows.formUnion(new)
      pair.rows.subtract(gone)
      seconds.ours.append(try Stopwatch.seconds { try pair.index.catchUp() })
      seconds.direct.append(
        try Stopwatch.seconds { try pair.direct.change(removing: gone + changed, adding: texts) })
    }
    let (ours, other) = (Latencies(seconds.ours), Latencies(seconds.direct))
    add(
      "follow", "following 100 changes, p50", ours.median * 1e3, .milliseconds,
      against: other.median * 1e3)
  }

  private mutating func measureSize() throws {
    let size = try pair.indexByteCount()
    add(
      "size", "size of the index", Double(size) / 1e6, .megabytes,
      against: Double(try pair.direct.byteCount()) / 1e6)
  }
}
