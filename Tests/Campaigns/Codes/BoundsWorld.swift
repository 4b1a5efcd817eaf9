internal import EmbeddingKernels
internal import EmbeddingTestSupport
internal import Foundation

/// Rows, and what their codes refer to.
enum BoundsWorld {
  /// Random rows of a kind and dimension, with a basis fitted to them.
  case fitted(CodesData, dimension: Int)
  /// Random rows of a kind with a basis that does not suit them: the unit vectors.
  case unfitted(CodesData, dimension: Int)
  /// All rows the same.
  case identical(dimension: Int)
  /// Rows at the bound; see `TightRows`.
  case tight(dimension: Int)
  /// The embeddings that bench uses.
  case real

  static let allWorlds: [BoundsWorld] =
    [64, 128].map { .tight(dimension: $0) } + [64, 384].map { .identical(dimension: $0) }
    + [.real]
    + CodesData.allCases.enumerated().flatMap { number, data in
      let dimensions = [64, 96, 100, 128, 160, 256, 384, 520]
      return [
        BoundsWorld.fitted(data, dimension: dimensions[number % dimensions.count]),
        .fitted(data, dimension: dimensions[(number + 3) % dimensions.count]),
        .unfitted(data, dimension: dimensions[(number + 5) % dimensions.count]),
      ]
    }

  /// Not a multiple of 16, so that the last group is not full.
  private static let rowCount = 150

  var isNormalized: Bool {
    switch self {
    case .fitted(let data, _), .unfitted(let data, _): data.isNormalized
    case .real: true
    case .identical, .tight: false
    }
  }

  func vectors(_ generator: inout SeededGenerator) -> [[Float]] {
    switch self {
    case .fitted(let data, let dimension), .unfitted(let data, let dimension):
      return data.vectors(Self.rowCount, dimension: dimension, &generator)
    case .identical(let dimension):
      let vector = RandomVectors.vector(dimension: dimension, using: &generator)
      return Array(repeating: vector, count: Self.rowCount)
    case .tight(let dimension):
      return TightRows(dimension).vectors(Self.rowCount, &generator)
    case .real: return Self.realVectors(&generator)
    }
  }

  /// A query that is unlike, like, or nearly one of the rows.
  func query(_ vectors: [[Float]], _ generator: inout SeededGenerator) -> [Float] {
    if case .tight(let dimension) = self {
      return TightRows(dimension).query()
    }
    let row = vectors[Int.random(in: 0..<vectors.count, using: &generator)]
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: return RandomVectors.vector(dimension: row.count, using: &generator)
    case 1: return row
    default:
      let largest = row.reduce(0) { max($0, abs($1)) }
      return row.map { $0 + largest * Float.random(in: -0.2...0.2, using: &generator) }
    }
  }

  func basis(_ rows: RowBuffer, _ layout: CodeLayout) -> CodeBasis? {
    switch self {
    case .fitted, .real, .identical:
      return rows.withBytes { bytes in
        CodeBasis(layout, stride: rows.stride) { visit in visit(bytes, rows.count) }
      }
    case .unfitted(_, let dimension), .tight(let dimension):
      let count = min(dimension, 512)
      var rotation = [Float](repeating: 0, count: count * dimension)
      for index in 0..<count { rotation[index * dimension + index] = 1 }
      return CodeBasis(
        layout, units: Array(repeating: 1, count: (count + 31) / 32),
        direction: Array(repeating: 0, count: dimension), rotation: rotation)
    }
  }

  private static func realVectors(_ generator: inout SeededGenerator) -> [[Float]] {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = package.appending(path: "Benchmarks/Data/rows.f16")
    guard let data = try? Data(contentsOf: file, options: .alwaysMapped) else { return [] }
    let dimension = 384
    return (0..<rowCount).map { _ in
      let row = Int.random(in: 0..<data.count / (2 * dimension), using: &generator)
      let start = row * dimension * 2
      return [Float](halves: data[start..<start + 2 * dimension])
    }
  }
}

extension [Float] {
  /// Little-endian Float16 numbers.
  fileprivate init(halves data: Data) {
    self = data.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: UInt16.self) { halves in
        halves.map { half in
          let magnitude = Int(half & 0x7fff)
          let (exponent, mantissa) = (magnitude >> 10, magnitude & 0x3ff)
          let value =
            exponent == 0
            ? Float(mantissa) * 0x1p-24
            : Float(1_024 + mantissa) * Float(sign: .plus, exponent: exponent - 25, significand: 1)
          return half & 0x8000 == 0 ? value : -value
        }
      }
    }
  }
}
