import CEmbeddingKernels
import EmbeddingKernels
import Testing

/// Every level's routines on codes against the formulas. Inputs and lists lie against pages that
/// nobody may touch.
@Suite struct CodeKernelTests {
  private static let rowCounts = [0, 1, 2, 15, 16, 17, 33, 64, 65]

  @Test(arguments: availableLevels, CodeInputs.allCases)
  func scanningFindsExactlyTheAllowedRowsWhoseBoundReachesTheThreshold(
    level: KernelLevel, inputs: CodeInputs
  ) {
    var random = SeededGenerator()
    for width in stride(from: 32, through: 128, by: 32) {
      for rowCount in Self.rowCounts {
        let scan = Scan(level, inputs, width: width, rowCount: rowCount, using: &random)
        let all = scan.estimated()
        for threshold in codeThresholds(all.map(\.bound), using: &random) {
          for words in Self.allowances(rowCount, using: &random) {
            let found = scan.found(threshold: threshold, allowed: words)
            let expected = all.enumerated().filter { row, entry in
              let isAllowed = words.map { $0[row / 64] >> UInt64(row % 64) & 1 == 1 } ?? true
              return isAllowed && !(entry.bound < threshold)
            }.map(\.element)
            #expect(
              found == expected, "width \(width), \(rowCount) rows, \(threshold), \(random.replay)")
          }
        }
      }
    }
  }

  @Test(arguments: availableLevels, CodeInputs.allCases)
  func refiningAddsEverySegmentOfAStageAndKeepsTheRowsWhoseBoundReachesTheThreshold(
    level: KernelLevel, inputs: CodeInputs
  ) {
    var random = SeededGenerator()
    let stages =
      [32, 64, 96, 128, 192, 256].map { [$0] }
      + [[128, 64, 64, 256], [128, 64, 64, 32], [128, 32], [32, 32, 32, 32]]
    for widths in stages {
      for count in [0, 1, 15, 17, 33] {
        let run = Refinement(level, inputs, widths: widths, count: count, using: &random)
        let all = run.estimated()
        for threshold in codeThresholds(all.map(\.bound), using: &random) {
          let (kept, around) = run.refined(threshold: threshold)
          let context = "widths \(widths), \(count) rows, \(threshold), \(random.replay)"
          #expect(kept == all.filter { !($0.bound < threshold) }, "\(context)")
          #expect(around == run.around, "wrote beyond its run: \(context)")
        }
      }
    }
  }

  @Test(arguments: availableLevels)
  func copyingAndKeepingLoseNoRowAndNoOrder(level: KernelLevel) {
    var random = SeededGenerator()
    let special: [Float] = [.nan, -.nan, .infinity, -.infinity, 0, -0.0, .leastNonzeroMagnitude]
    for count in Self.rowCounts {
      let entries = (0..<count).map { index in
        ListEntry(
          row: UInt32(3 * index),
          bound: Bool.random(using: &random)
            ? Float(Int.random(in: -4...4, using: &random)) / 2
            : special.randomElement(using: &random) ?? 0,
          estimate: random.float())
      }
      let thresholds = codeThresholds(entries.map(\.bound), using: &random)
      for threshold in thresholds {
        let reaching = entries.filter { !($0.bound < threshold) }
        let list = FencedList(entries, room: 16, atStart: true)
        let other = FencedList(count: reaching.count + 16)
        let copied = level.codeRoutines.copy(list.list, count, threshold, other.list)
        #expect(copied == reaching.count, "\(threshold), \(random.replay)")
        #expect(other.entries(0..<reaching.count) == reaching, "\(threshold), \(random.replay)")
        #expect(list.entries(0..<count) == entries, "\(threshold), \(random.replay)")

        let ceiling = thresholds.randomElement(using: &random) ?? 0
        let between = reaching.filter { $0.bound < ceiling }
        let context = "\(threshold) to \(ceiling), \(random.replay)"
        let kept = level.codeRoutines.keep(list.list, count, threshold, ceiling)
        #expect(kept == between.count, "\(context)")
        #expect(list.entries(0..<between.count) == between, "\(context)")
      }
    }
  }

  @Test(arguments: KernelLevel.allCases)
  func routinesOnCodesExistExactlyForAvailableLevels(level: KernelLevel) {
    #expect((Kernels(level: level) != nil) == level.isAvailable)
    if level.isAvailable {
      let routines = level.codeRoutines
      #expect(routines.scan != nil && routines.refine != nil)
      #expect(routines.copy != nil && routines.keep != nil)
    }
  }

  /// No bits, all set, none set, any, one word in two.
  private static func allowances(
    _ rowCount: Int, using random: inout SeededGenerator
  ) -> [[UInt64]?] {
    let count = (rowCount + 63) / 64
    return [
      nil, [UInt64](repeating: .max, count: count), [UInt64](repeating: 0, count: count),
      (0..<count).map { _ in random.next() },
      (0..<count).map { $0 % 2 == 0 ? 0xffff_0000_ffff_0000 : 0 },
    ]
  }
}

/// A first stage of random rows.
private struct Scan {
  private let level: KernelLevel
  private let rows: [OracleRow]
  private let firstRow: UInt32
  private let segment: OracleSegment
  private let bound: OracleBound
  private let base: Float
  private let projection: Float
  private let groups: (memory: FencedMemory, elements: UnsafeMutablePointer<UInt8>)
  private let query: (memory: FencedMemory, elements: UnsafeMutablePointer<Int8>)

  init(
    _ level: KernelLevel, _ inputs: CodeInputs, width: Int, rowCount: Int,
    using random: inout SeededGenerator
  ) {
    self.level = level
    rows = (0..<rowCount).map { _ in inputs.row(widths: [width], using: &random) }
    firstRow = [0, 4_096, .max - 100].randomElement(using: &random) ?? 0
    segment = inputs.segment(width: width, using: &random)
    bound = inputs.bound(using: &random)
    base = inputs.constant(using: &random)
    projection = inputs.constant(using: &random)
    groups = FencedMemory.holding(oracleGroups(rows, width: width, using: &random))
    query = FencedMemory.holding(segment.query.map { Int8($0) })
  }

  func estimated() -> [ListEntry] {
    rows.enumerated().map { index, row in
      let estimate = segment.added(
        to: base.addingProduct(projection, Float(row.projection)), nibbles: row.nibbles[0],
        scale: row.scales[0])
      let bound = bound.of(estimate, error: row.error, rest: row.rest)
      return ListEntry(row: firstRow + UInt32(index), bound: bound, estimate: estimate)
    }
  }

  func found(threshold: Float, allowed: [UInt64]?) -> [ListEntry] {
    let found = FencedList(count: rows.count + 16)
    let words = allowed.map { FencedMemory.holding($0) }
    var scan = ek_code_scan(
      segment: ek_code_segment(
        query: query.elements, width: segment.query.count, offset: Int32(segment.offset),
        product: segment.product),
      bound: bound.terms, base: base, projection: projection)
    let count = level.codeRoutines.scan(
      groups.elements, rows.count, &scan, threshold, words.map { UnsafePointer($0.elements) },
      firstRow, found.list)
    return withExtendedLifetime(words) { found.entries(0..<count) }
  }
}

/// A later stage of random rows, whose run lies between other entries of a list.
private struct Refinement {
  private static let otherCount = 20

  private let level: KernelLevel
  private let rows: [OracleRow]
  private let entries: [ListEntry]
  private let firstRow: UInt32
  private let recordByteCount: Int
  private let segments: [OracleSegment]
  private let bound: OracleBound
  private let records: (memory: FencedMemory, elements: UnsafeMutablePointer<UInt8>)
  private let queries: [(memory: FencedMemory, elements: UnsafeMutablePointer<Int8>)]
  /// The entries before the run and those behind it, if any.
  let around: [ListEntry]

  init(
    _ level: KernelLevel, _ inputs: CodeInputs, widths: [Int], count: Int,
    using random: inout SeededGenerator
  ) {
    self.level = level
    let needed = widths.reduce(0) { $0 + $1 / 2 + 1 } + 2
    recordByteCount = Bool.random(using: &random) ? needed : (needed + 3) / 4 * 4
    firstRow = [0, 4_096, .max - 1_000].randomElement(using: &random) ?? 0
    let mostSkipped = [0, 1, 9].randomElement(using: &random) ?? 0
    var positions: [Int] = []
    for _ in 0..<count {
      let skipped = Int.random(in: 0...mostSkipped, using: &random)
      positions.append((positions.last ?? -1) + 1 + skipped)
    }
    rows = positions.map { _ in inputs.row(widths: widths, using: &random) }
    // Records of rows that are not listed are made up.
    var bytes: [UInt8] = []
    for (position, row) in zip(positions, rows) {
      let skipped = position * recordByteCount - bytes.count
      bytes += (0..<skipped).map { _ in inputs.byte(using: &random) }
      bytes += row.record(byteCount: recordByteCount)
    }
    records = FencedMemory.holding(bytes)
    let first = firstRow
    entries = positions.map { position in
      ListEntry(
        row: first + UInt32(position), bound: random.float(),
        estimate: inputs.constant(using: &random))
    }
    segments = widths.map { inputs.segment(width: $0, using: &random) }
    bound = inputs.bound(using: &random)
    queries = segments.map { FencedMemory.holding($0.query.map { Int8($0) }) }
    let hasTail = Bool.random(using: &random)
    around = (0..<Self.otherCount * (hasTail ? 2 : 1)).map { index in
      ListEntry(row: UInt32(index), bound: random.float(), estimate: random.float())
    }
  }

  func estimated() -> [ListEntry] {
    zip(entries, rows).map { entry, row in
      var estimate = entry.estimate
      for (index, segment) in segments.enumerated() {
        estimate = segment.added(
          to: estimate, nibbles: row.nibbles[index], scale: row.scales[index])
      }
      let bound = bound.of(estimate, error: row.error, rest: row.rest)
      return ListEntry(row: entry.row, bound: bound, estimate: estimate)
    }
  }

  /// What a level keeps, and the entries around the run after that.
  func refined(threshold: Float) -> (kept: [ListEntry], around: [ListEntry]) {
    let before = Array(around.prefix(Self.otherCount))
    let list = FencedList(before + entries + around.dropFirst(Self.otherCount), room: 0)
    let terms = zip(segments, queries).map { segment, query in
      ek_code_segment(
        query: query.elements, width: segment.query.count, offset: Int32(segment.offset),
        product: segment.product)
    }
    let kept = terms.withUnsafeBufferPointer { terms in
      var stage = ek_code_refinement(
        segments: terms.baseAddress, segment_count: terms.count, record_bytes: recordByteCount,
        bound: bound.terms)
      return level.codeRoutines.refine(
        records.elements, &stage, threshold, firstRow, list.list(from: before.count), rows.count)
    }
    let end = before.count + rows.count
    return (
      list.entries(before.count..<before.count + kept),
      list.entries(0..<before.count) + list.entries(end..<list.count)
    )
  }
}
