import Foundation

/// What `duplicates.py` found: pairs of rows and their scores in double precision.
struct JoinedPairs {
  struct Line: Decodable {
    var version: String
    var seconds: Double
    var pairs: Int
  }

  let line: Line
  private let rows: [UInt32]
  private let scores: [Double]

  /// How far a score in Float32 may be from it.
  private static let tolerance = 1e-6

  /// Reads the two files beside a report.
  init(_ line: Line, besides report: URL) throws {
    self.line = line
    rows = try Self.numbers(report, "rows", count: 2 * line.pairs, UInt32.self)
    scores = try Self.numbers(report, "scores", count: line.pairs, UInt64.self)
      .map(Double.init(bitPattern:))
  }

  /// For each row the lowest row that it is connected with, by the pairs that reach a score for
  /// certain, or by those that may.
  func connections(rowCount: Int, score: Float, certain: Bool) -> [Int] {
    let limit = Double(score) + (certain ? Self.tolerance : -Self.tolerance)
    var lowest = Array(0..<rowCount)
    func root(_ row: Int) -> Int {
      var row = row
      while lowest[row] != row {
        lowest[row] = lowest[lowest[row]]
        row = lowest[row]
      }
      return row
    }
    for (pair, score) in scores.enumerated() where score >= limit {
      let (first, second) = (root(Int(rows[2 * pair])), root(Int(rows[2 * pair + 1])))
      lowest[max(first, second)] = min(first, second)
    }
    return (0..<rowCount).map(root)
  }

  private static func numbers<Number: FixedWidthInteger>(
    _ report: URL, _ suffix: String, count: Int, _ type: Number.Type
  ) throws -> [Number] {
    let data = try Data(contentsOf: report.appendingPathExtension(suffix))
    let size = MemoryLayout<Number>.size
    guard data.count == count * size else {
      throw BenchError("duplicates.py wrote \(data.count) bytes of \(suffix), not \(count * size).")
    }
    return data.withUnsafeBytes { bytes in
      (0..<count).map {
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * size, as: type))
      }
    }
  }
}
