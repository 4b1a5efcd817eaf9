import EmbeddingKernels
import Foundation

/// Rows that are distributed like real embeddings: around a common mean of length 0.34, in
/// clusters, with a falling spectrum. The same for the same size, everywhere.
struct SyntheticData {
  private static let meanLength: Float = 0.34
  /// The share of the variance that lies between the clusters.
  private static let clusterShare: Float = 0.5
  private static let queryCount = 200
  private static let monthCount = 100

  private let rowCount: Int
  private let dimension: Int
  /// Whether rows point every which way instead: data of which codes can tell nothing.
  private let isIsotropic: Bool
  private let rotation: Rotation
  private let mean: [Float]
  private let deviations: [Float]
  private let centres: [[Float]]
  private var random: RandomNumbers

  init(rowCount: Int, dimension: Int, isIsotropic: Bool = false) {
    self.rowCount = rowCount
    self.isIsotropic = isIsotropic
    self.dimension = dimension
    var random = RandomNumbers(seed: 20_260_101)
    rotation = Rotation(dimension: dimension, &random)
    let direction = (0..<dimension).map { _ in random.normal() }
    let length = direction.reduce(0) { $0 + $1 * $1 }.squareRoot()
    mean = direction.map { $0 * Self.meanLength / max(length, .leastNormalMagnitude) }
    let total = 1 - Self.meanLength * Self.meanLength
    let variances = Spectrum.variances(dimension: dimension, total: total)
    deviations = variances.map { ($0 * (1 - Self.clusterShare)).squareRoot() }
    let spread = variances.map { ($0 * Self.clusterShare).squareRoot() }
    centres = (0..<min(4_096, max(8, rowCount / 128))).map { _ in
      spread.map { $0 * random.normal() }
    }
    self.random = random
  }

  /// Writes the set as a folder in `parent`, a few rows in memory at a time, and reads it back.
  func make(in parent: URL) throws -> DataSet {
    Console.progress("Making \(rowCount) synthetic rows of dimension \(dimension)")
    let kind = isIsotropic ? "isotropic" : "synthetic"
    let folder = parent.appending(path: "\(kind)-\(rowCount)-\(dimension)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var generator = self
    try generator.writeRows(to: folder.appending(path: "rows.f16"))
    // Drawn after the rows, so held out.
    let queries = (0..<Self.queryCount).flatMap { _ in generator.nextVector() }
    let words = queries.map(\.bitPattern.littleEndian)
    try words.withUnsafeBytes { Data($0) }.write(to: folder.appending(path: "queries.f32"))
    try generator.writeNames(to: folder)
    return try DataSet(readingAt: folder)
  }

  private mutating func writeRows(to url: URL) throws {
    guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
      throw BenchError("\(url.path) cannot be made.")
    }
    let file = try FileHandle(forWritingTo: url)
    for batch in (0..<rowCount).batches(of: 1_000) {
      let rows = RowBuffer(dimension: dimension, capacity: batch.count)
      for _ in batch {
        try rows.append(ContiguousArray(nextVector()).span, normalizing: true)
      }
      try file.write(contentsOf: withoutPadding(rows))
    }
    try file.close()
  }

  private func withoutPadding(_ rows: RowBuffer) -> Data {
    rows.withBytes { bytes in
      bytes.withUnsafeBytes { bytes in
        var packed = Data(capacity: rows.count * dimension * 2)
        for row in 0..<rows.count {
          packed.append(contentsOf: bytes[row * rows.stride..<row * rows.stride + dimension * 2])
        }
        return packed
      }
    }
  }

  private mutating func writeNames(to folder: URL) throws {
    var keys = ""
    var months = ""
    for row in 0..<rowCount {
      keys += "row-\(row)\n"
      let month = random.below(Self.monthCount)
      months += "\(2018 + month / 12)-\(month % 12 < 9 ? "0" : "")\(month % 12 + 1)\n"
    }
    let names = (0..<Self.queryCount).map { "query \($0)\n" }.joined()
    let description = DataSetFiles.Description(
      rows: rowCount, dimension: dimension, queries: Self.queryCount, truth: 0,
      source: "synthetic")
    try Data(keys.utf8).write(to: folder.appending(path: "keys.txt"))
    try Data(months.utf8).write(to: folder.appending(path: "months.txt"))
    try Data(names.utf8).write(to: folder.appending(path: "queries.txt"))
    try JSONEncoder().encode(description).write(to: folder.appending(path: "set.json"))
  }

  private mutating func nextVector() -> [Float] {
    if isIsotropic { return (0..<dimension).map { _ in random.normal() } }
    let centre = centres[random.below(centres.count)]
    var vector = [Float](repeating: 0, count: dimension)
    for index in 0..<dimension {
      vector[index] = centre[index] + deviations[index] * random.normal()
    }
    rotation.apply(to: &vector)
    for index in 0..<dimension { vector[index] += mean[index] }
    return vector
  }
}
