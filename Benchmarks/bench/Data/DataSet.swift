import Foundation

/// Rows, queries and exact answers, as `Benchmarks/Data/README.md` describes them.
struct DataSet: Sendable {
  let name: String
  /// The folder that it was read from.
  let directory: URL
  let source: String
  private(set) var rowCount: Int
  let dimension: Int
  private(set) var keys: [String]
  /// The start of each row's month, UTC.
  private(set) var timestamps: [Date?]
  private(set) var rowsByKey: [String: Int]
  let queries: [[Float]]
  /// The words of a query, or the key that it came from.
  let queryNames: [String]
  /// How many of the last queries are words.
  let naturalQueryCount: Int
  /// The best rows of each query.
  private(set) var answers: [[ScoredRow]]
  /// The file of half floats, mapped.
  private let halves: Data

  /// Reads and checks a folder. The files are taken for untrusted: each must have the size that
  /// `set.json` promises.
  init(readingAt directory: URL) throws(BenchError) {
    let files = DataSetFiles(directory: directory)
    let description = try files.description()
    name = directory.lastPathComponent
    self.directory = directory
    source = description.source ?? "no source given"
    rowCount = description.rows
    dimension = description.dimension
    naturalQueryCount = description.natural_queries ?? 0
    keys = try files.lines(of: "keys.txt", count: description.rows)
    timestamps = try files.timestamps(count: description.rows)
    queryNames = try files.lines(of: "queries.txt", count: description.queries)
    queries = try files.queries(description)
    answers = try files.answers(description)
    halves = try files.rows(description)
    rowsByKey = try Self.index(keys, directory)
  }

  /// The first rows, with exact answers of their own.
  func limited(to count: Int) -> DataSet {
    guard count < rowCount else { return self }
    var limited = self
    limited.rowCount = count
    limited.keys = Array(keys.prefix(count))
    limited.timestamps = Array(timestamps.prefix(count))
    limited.rowsByKey = rowsByKey.filter { $0.value < count }
    return limited.withComputedAnswers()
  }

  /// The same set with its answers computed here.
  func withComputedAnswers() -> DataSet {
    var copy = self
    copy.answers = ExactAnswers(self).best(100, for: Array(queries.indices))
    return copy
  }

  /// A row as floats.
  func vector(of row: Int) -> [Float] {
    withHalves(ofRows: row..<row + 1) { halves in
      let values = HalfFloats.values
      return halves.map { values[Int(UInt16(littleEndian: $0))] }
    }
  }

  /// Calls `body` with the half floats of `rows`, little-endian.
  func withHalves<Result>(
    ofRows rows: Range<Int>, _ body: (UnsafeBufferPointer<UInt16>) -> Result
  ) -> Result {
    precondition(rows.lowerBound >= 0 && rows.upperBound <= rowCount, "no such rows")
    return halves.withUnsafeBytes { bytes in
      // A mapped file starts at a page, and its size was checked.
      let halves = bytes.assumingMemoryBound(to: UInt16.self)
      return body(
        UnsafeBufferPointer(
          rebasing: halves[rows.lowerBound * dimension..<rows.upperBound * dimension]))
    }
  }

  private static func index(
    _ keys: [String], _ directory: URL
  ) throws(BenchError) -> [String: Int] {
    var rows: [String: Int] = [:]
    rows.reserveCapacity(keys.count)
    for (row, key) in keys.enumerated() {
      if let other = rows.updateValue(row, forKey: key) {
        throw BenchError(
          "keys.txt in \(directory.path) has \"\(key)\" in lines \(other + 1) and \(row + 1).")
      }
    }
    return rows
  }
}

/// A row and its score for some query, in double precision.
struct ScoredRow: Sendable {
  var row: Int
  var score: Double
}
