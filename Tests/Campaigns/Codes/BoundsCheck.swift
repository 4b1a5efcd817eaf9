internal import EmbeddingKernels
internal import EmbeddingTestSupport

/// One chunk of coded rows, and the check of its bounds for a query.
struct BoundsCheck {
  private let world: BoundsWorld
  private let vectors: [[Float]]
  private let rows: RowBuffer
  private let layout: CodeLayout
  private let basis: [UInt8]
  private let chunk: [UInt8]
  private let longest: Float

  struct Outcome {
    var boundCount = 0
    var problem: String?
    /// Of a bound above the exact product, relative to the lengths of query and row.
    var smallestGap = Double.infinity
  }

  init?(_ world: BoundsWorld, _ generator: inout SeededGenerator) {
    self.world = world
    vectors = world.vectors(&generator)
    guard let dimension = vectors.first?.count, let layout = CodeLayout(dimension: dimension)
    else { return nil }
    self.layout = layout
    let rows = RowBuffer(dimension: dimension, capacity: vectors.count)
    self.rows = rows
    for vector in vectors {
      // A row that can not be stored is none.
      try? rows.append(ContiguousArray(vector).span, normalizing: world.isNormalized)
    }
    guard let basis = world.basis(rows, layout) else { return nil }
    self.basis = basis.bytes
    let encoder = RowEncoder(basis)
    chunk = rows.withBytes { bytes in
      encoder.encode(rows.count, stride: rows.stride) { visit in visit(bytes, rows.count) }
    }
    longest = rows.withBytes { bytes in
      (0..<rows.count).reduce(0) { longest, row in
        let start = row * rows.stride
        let query = PreparedQuery(
          row: bytes.extracting(start..<start + rows.stride), dimension: dimension)
        return max(longest, query.length)
      }
    }
  }

  func check(_ generator: inout SeededGenerator) -> Outcome {
    var outcome = Outcome()
    let vector = world.query(vectors, &generator)
    guard
      let query = try? PreparedQuery(
        ContiguousArray(vector).span, dimension: layout.dimension,
        normalizing: world.isNormalized)
    else { return outcome }
    let coded = basis.withUnsafeBytes { bytes in
      CodeQuery(query, basis: RawSpan(_unsafeBytes: bytes), layout, rowLength: longest)
    }
    // Lengths out of range are scanned.
    guard let coded else { return outcome }
    let (scores, products) = exact(query)
    let scanner = CodeScanner(coded)
    let survivors = Survivors()
    for stage in 0..<layout.stageCount {
      read(stage, scanner, survivors)
      guard survivors.count == rows.count else {
        outcome.problem = "stage \(stage) keeps \(survivors.count) of \(rows.count) rows"
        return outcome
      }
      for row in 0..<survivors.count {
        let bound = Double(survivors.bound(at: row))
        outcome.boundCount += 1
        let gap = (bound - products[row]) / (Double(query.length) * Double(longest))
        outcome.smallestGap = min(outcome.smallestGap, gap)
        guard bound >= scores[row], bound >= products[row] else {
          outcome.problem =
            "stage \(stage) bounds row \(row) by \(bound), its score is \(scores[row]) and the "
            + "exact product \(products[row])"
          return outcome
        }
      }
    }
    return outcome
  }

  private func read(_ stage: Int, _ scanner: CodeScanner, _ survivors: Survivors) {
    let range = layout.range(ofStage: stage, rowCount: rows.count)
    chunk.withUnsafeBytes { bytes in
      let bytes = RawSpan(_unsafeBytes: bytes)
      if stage == 0 {
        scanner.scan(
          chunk: 0, bytes, firstRow: 0, rowCount: rows.count, allowed: nil,
          threshold: -.infinity, into: survivors)
      } else {
        let kept = scanner.refine(
          survivors, 0..<survivors.count, to: 0, stage: stage, chunk: 0,
          bytes.extracting(range), firstRow: 0, threshold: -.infinity)
        survivors.truncate(to: kept)
      }
    }
  }

  /// K of every row, and the product in Float64 of the very numbers that are stored.
  private func exact(_ query: PreparedQuery) -> (scores: [Double], products: [Double]) {
    let scorer = BlockScorer(query: query)
    return rows.withBytes { bytes in
      scorer.score(bytes, stride: rows.stride, count: rows.count)
      let products = (0..<rows.count).map { row in
        let start = row * rows.stride
        let stored = PreparedQuery(
          row: bytes.extracting(start..<start + rows.stride), dimension: layout.dimension)
        // Rounded down by far more than this sum errs.
        let terms = zip(query.vector, stored.vector).map { Double($0) * Double($1) }
        let magnitude = terms.reduce(0) { $0 + abs($1) }
        return terms.reduce(0, +) - magnitude * 1e-13
      }
      return ((0..<rows.count).map { Double(scorer[$0]) }, products)
    }
  }
}
