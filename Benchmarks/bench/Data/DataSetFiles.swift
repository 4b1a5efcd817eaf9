import Foundation

/// Reads the files of a data set and checks their sizes.
struct DataSetFiles {
  let directory: URL

  /// What `set.json` says, its names as they stand there.
  struct Description: Codable {
    var rows: Int
    var dimension: Int
    var queries: Int
    /// Exact answers per query; 0 means there are none.
    var truth: Int
    var source: String?
    var natural_queries: Int?  // swift-format-ignore: AlwaysUseLowerCamelCase
  }

  func description() throws(BenchError) -> Description {
    let data = try contents(of: "set.json")
    guard let description = try? JSONDecoder().decode(Description.self, from: data) else {
      throw problem("set.json", "lacks a number of rows, dimension, queries or truth")
    }
    guard (1...100_000_000).contains(description.rows),
      (1...4_096).contains(description.dimension),
      (1...1_000_000).contains(description.queries),
      (0...1_000).contains(description.truth), description.truth <= description.rows,
      (0...description.queries).contains(description.natural_queries ?? 0)
    else { throw problem("set.json", "has a number out of range") }
    return description
  }

  func rows(_ description: Description) throws(BenchError) -> Data {
    try contents(
      of: "rows.f16", byteCount: description.rows * description.dimension * 2,
      options: .alwaysMapped)
  }

  func queries(_ description: Description) throws(BenchError) -> [[Float]] {
    let dimension = description.dimension
    let floats = try numbers(
      of: "queries.f32", count: description.queries * dimension, UInt32.self
    ).map(Float.init(bitPattern:))
    return (0..<description.queries).map { Array(floats[$0 * dimension..<($0 + 1) * dimension]) }
  }

  func answers(_ description: Description) throws(BenchError) -> [[ScoredRow]] {
    let depth = description.truth
    guard depth > 0 else { return [] }
    let count = description.queries * depth
    let rows = try numbers(of: "truth-rows.u32", count: count, UInt32.self)
    let scores = try numbers(of: "truth-scores.f64", count: count, UInt64.self)
    guard rows.allSatisfy({ $0 < description.rows }) else {
      throw problem("truth-rows.u32", "names a row beyond the \(description.rows) there are")
    }
    let answers = zip(rows, scores).map {
      ScoredRow(row: Int($0), score: Double(bitPattern: $1))
    }
    return (0..<description.queries).map { Array(answers[$0 * depth..<($0 + 1) * depth]) }
  }

  func lines(of file: String, count: Int) throws(BenchError) -> [String] {
    guard let text = String(data: try contents(of: file), encoding: .utf8) else {
      throw problem(file, "is not UTF-8")
    }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    guard lines.count == count else {
      throw problem(file, "has \(lines.count) lines where set.json promises \(count)")
    }
    return lines
  }

  /// The months as dates; a set without `months.txt` has none.
  func timestamps(count: Int) throws(BenchError) -> [Date?] {
    let file = "months.txt"
    guard FileManager.default.fileExists(atPath: directory.appending(path: file).path) else {
      return Array(repeating: nil, count: count)
    }
    var dates: [Date?] = []
    for line in try lines(of: file, count: count) {
      guard line.isEmpty || Month(line) != nil else {
        throw problem(file, "has \"\(line.prefix(20))\" where a month as YYYY-MM is expected")
      }
      dates.append(Month(line)?.start)
    }
    return dates
  }

  private func numbers<Number: FixedWidthInteger>(
    of file: String, count: Int, _ type: Number.Type
  ) throws(BenchError) -> [Number] {
    let size = MemoryLayout<Number>.size
    let data = try contents(of: file, byteCount: count * size)
    return data.withUnsafeBytes { bytes in
      (0..<count).map {
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * size, as: type))
      }
    }
  }

  private func contents(
    of file: String, byteCount: Int, options: Data.ReadingOptions = []
  ) throws(BenchError) -> Data {
    let data = try contents(of: file, options: options)
    guard data.count == byteCount else {
      throw problem(file, "has \(data.count) bytes where set.json promises \(byteCount)")
    }
    return data
  }

  private func contents(
    of file: String, options: Data.ReadingOptions = []
  ) throws(BenchError) -> Data {
    do {
      return try Data(contentsOf: directory.appending(path: file), options: options)
    } catch {
      throw problem(file, "cannot be read (\(error.localizedDescription))")
    }
  }

  private func problem(_ file: String, _ what: String) -> BenchError {
    BenchError("\(file) in \(directory.path) \(what).")
  }
}
