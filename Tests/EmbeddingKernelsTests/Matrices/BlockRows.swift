import EmbeddingKernels

/// Rows as halves, as a block has them, and in Float64.
struct BlockRows {
  let halves: [[UInt16]]
  let block: RowBlock

  /// Takes rows that are rounded to halves, `padding` bytes apart beyond their own.
  init(_ rows: [[Float]], kernels: Kernels = .current, padding: Int = 0) {
    let dimension = rows[0].count
    halves = rows.map { $0.map(oracleHalf) }
    block = RowBlock(dimension: dimension, capacity: rows.count, kernels: kernels)
    let gap = [UInt16](repeating: 0x7E00, count: padding / 2)
    let together = halves.flatMap { $0 + gap }
    together.withUnsafeBytes { bytes in
      block.append(bytes.bytes, stride: 2 * dimension + padding, count: rows.count)
    }
  }

  var count: Int { halves.count }
  var floats: [[Float]] { halves.map { $0.map(oracleFloat) } }

  /// K of one row as the query and another.
  func score(_ row: Int, _ other: Int) -> Float {
    oracleScore(row: halves[other], query: halves[row].map(oracleFloat))
  }

  /// Rows of length 1, nearly, of which some are alike.
  static func unit(
    _ count: Int, dimension: Int, _ random: inout SeededGenerator
  ) -> [[Float]] {
    var rows: [[Float]] = []
    for number in 0..<count {
      var row = random.floats(dimension, exponents: -4...0)
      if number % 3 == 2 {
        row = zip(rows[number - 1], row).map { $0 + $1 * 0.05 }
      }
      if number % 7 == 6 { row = rows[number - 2] }
      let length = row.reduce(0) { $0 + $1 * $1 }.squareRoot()
      rows.append(row.map { $0 / length })
    }
    return rows
  }
}

/// The dot product in Float64.
func wideDot(_ first: [Float], _ second: [Float]) -> Double {
  zip(first, second).reduce(0) { $0 + Double($1.0) * Double($1.1) }
}
