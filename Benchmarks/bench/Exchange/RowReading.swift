import EmbeddingExchange
import Foundation

/// Reads all rows of an array of Float32 by calls, as the library does, and through a mapping, in turns:
/// what mapping would gain.
struct RowReading {
  private let array: URL
  private static let batchRowCount = 1_024
  private static let runs = 7

  init(_ array: URL) {
    self.array = array
  }

  func figures() throws -> [Figure] {
    let file = try VectorFile(npy: array)
    let seconds = try Latencies.inTurns(0..<Self.runs, alternatives: 2) { (way, _) in
      let sum = way == 0 ? try byCalls(file) : try throughMapping(file)
      withExtendedLifetime(sum) {}
    }
    let rates = seconds.map { Double(file.rowCount) / $0.median }
    return [
      Figure(
        "read_calls", "reading rows by calls", rates[0], .rowsPerSecond,
        ratio: rates[0] / rates[1], to: "through a mapping"),
      Figure("read_mapping", "reading rows through a mapping", rates[1], .rowsPerSecond),
    ]
  }

  private func byCalls(_ file: VectorFile) throws -> Float {
    var sum: Float = 0
    for batch in (0..<file.rowCount).batches(of: Self.batchRowCount) {
      for vector in try file.vectors(batch) { sum += vector[0] }
    }
    return sum
  }

  /// Decodes as the library does.
  private func throughMapping(_ file: VectorFile) throws -> Float {
    let data = try Data(contentsOf: array, options: .alwaysMapped)
    let start = data.count - file.rowCount * file.dimension * 4
    var sum: Float = 0
    data.withUnsafeBytes { bytes in
      for batch in (0..<file.rowCount).batches(of: Self.batchRowCount) {
        let vectors = batch.map { row in
          (0..<file.dimension).map { index in
            let offset = start + 4 * (row * file.dimension + index)
            let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return Float(bitPattern: UInt32(littleEndian: bits))
          }
        }
        for vector in vectors { sum += vector[0] }
      }
    }
    return sum
  }
}
