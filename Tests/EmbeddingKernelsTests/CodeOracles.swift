import CEmbeddingKernels

// What the routines on codes are checked against: written from the formulas, with integers and one
// rounding at a time, and not for speed.

/// One segment of a query.
struct OracleSegment {
  var query: [Int]
  var product: Float

  /// 15 Σ query.
  var offset: Int { 15 * query.reduce(0, +) }

  /// An estimate with this segment's share.
  func added(to estimate: Float, nibbles: [Int], scale: UInt8) -> Float {
    let sum = zip(nibbles, query).reduce(0) { $0 + $1.0 * $1.1 }
    return estimate.addingProduct(product, Float(2 * sum - offset) * Float(scale))
  }
}

struct OracleBound {
  var error: Float
  var rest: Float
  var slack: Float

  func of(_ estimate: Float, error errorByte: UInt8, rest restByte: UInt8) -> Float {
    let bound = estimate.addingProduct(error, Float(errorByte))
    return bound.addingProduct(rest, Float(restByte)) + slack
  }

  var terms: ek_code_bound { ek_code_bound(error: error, rest: rest, slack: slack) }
}

/// A row as one stage sees it.
struct OracleRow {
  /// Of each segment, by component.
  var nibbles: [[Int]]
  var scales: [UInt8]
  var projection: UInt8 = 0
  var error: UInt8
  var rest: UInt8

  /// Its record of a later stage, with zeros up to `byteCount`.
  func record(byteCount: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for components in nibbles {
      let half = components.count / 2
      bytes += (0..<half).map { UInt8(components[$0] + 16 * components[half + $0]) }
    }
    bytes += scales + [error, rest]
    return bytes + [UInt8](repeating: 0, count: byteCount - bytes.count)
  }
}

/// The groups of a first stage; what lies behind the last row is made up.
func oracleGroups(_ rows: [OracleRow], width: Int, using random: inout SeededGenerator) -> [UInt8] {
  let lineCount = width / 8
  var bytes: [UInt8] = []
  for start in stride(from: 0, to: rows.count, by: 16) {
    var lines = (0..<64 * lineCount + 64).map { _ in UInt8.random(in: 0...255, using: &random) }
    for (lane, row) in rows[start..<min(start + 16, rows.count)].enumerated() {
      for line in 0..<lineCount {
        for byte in 0..<4 {
          let component = 4 * line + byte
          lines[64 * line + 4 * lane + byte] =
            UInt8(row.nibbles[0][component] + 16 * row.nibbles[0][width / 2 + component])
        }
      }
      for (index, byte) in [row.projection, row.scales[0], row.error, row.rest].enumerated() {
        lines[64 * lineCount + 16 * index + lane] = byte
      }
    }
    bytes += lines
  }
  return bytes
}

/// An entry of a list. Equal when all bits are, except that one NaN is as good as another.
struct ListEntry: Equatable, CustomStringConvertible {
  var row: UInt32
  var bound: Float
  var estimate: Float

  static func == (left: ListEntry, right: ListEntry) -> Bool {
    func bits(_ value: Float) -> UInt32 { value.isNaN ? 0x7fc0_0000 : value.bitPattern }
    return left.row == right.row && bits(left.bound) == bits(right.bound)
      && bits(left.estimate) == bits(right.estimate)
  }

  var description: String { "\(row): \(bound), \(estimate)" }
}

/// A list that kernels write to, between pages that nobody may touch.
final class FencedList {
  let count: Int
  private let memory: [FencedMemory]
  private let atStart: Bool

  init(count: Int, atStart: Bool = false) {
    self.count = count
    self.atStart = atStart
    memory = (0..<3).map { _ in FencedMemory(byteCount: max(4 * count, 1)) }
  }

  convenience init(_ entries: [ListEntry], room: Int, atStart: Bool = false) {
    self.init(count: entries.count + room, atStart: atStart)
    for (index, entry) in entries.enumerated() {
      list.rows[index] = entry.row
      list.bounds[index] = entry.bound
      list.estimates[index] = entry.estimate
    }
  }

  var list: ek_code_list {
    ek_code_list(
      rows: place(0, UInt32.self), bounds: place(1, Float.self), estimates: place(2, Float.self))
  }

  /// The list from an entry on.
  func list(from start: Int) -> ek_code_list {
    let list = list
    return ek_code_list(
      rows: list.rows + start, bounds: list.bounds + start, estimates: list.estimates + start)
  }

  func entries(_ range: Range<Int>) -> [ListEntry] {
    let list = list
    return range.map {
      ListEntry(row: list.rows[$0], bound: list.bounds[$0], estimate: list.estimates[$0])
    }
  }

  private func place<T>(_ piece: Int, _ type: T.Type) -> UnsafeMutablePointer<T> {
    atStart ? memory[piece].first(count, of: type) : memory[piece].last(count, of: type)
  }
}

extension FencedMemory {
  /// Memory that holds `elements` against its second fence, and where.
  static func holding<T: BitwiseCopyable>(
    _ elements: [T]
  ) -> (memory: FencedMemory, elements: UnsafeMutablePointer<T>) {
    let memory = FencedMemory(byteCount: max(elements.count * MemoryLayout<T>.size, 1))
    let start = memory.last(elements.count, of: T.self)
    start.update(from: elements, count: elements.count)
    return (memory, start)
  }
}

// MARK: - Inputs

/// What the constants, the codes and the query of a comparison are like.
enum CodeInputs: CaseIterable {
  case ordinary
  case notFinite
  case largest
  case smallest

  func constant(using random: inout SeededGenerator) -> Float {
    let special: [Float] = [.infinity, -.infinity, .nan, 0, -0.0, .greatestFiniteMagnitude]
    if self == .notFinite, Int.random(in: 0..<3, using: &random) == 0 {
      return special.randomElement(using: &random) ?? 0
    }
    return random.float(exponents: -8...2)
  }

  func queryByte(using random: inout SeededGenerator) -> Int {
    switch self {
    case .ordinary, .notFinite: Int.random(in: -127...127, using: &random)
    case .largest: 127
    case .smallest: -127
    }
  }

  func nibble(using random: inout SeededGenerator) -> Int {
    switch self {
    case .ordinary, .notFinite: Int.random(in: 0...15, using: &random)
    case .largest: 15
    case .smallest: Bool.random(using: &random) ? 15 : 0
    }
  }

  func byte(using random: inout SeededGenerator) -> UInt8 {
    self == .largest ? 255 : UInt8.random(in: 0...255, using: &random)
  }

  func segment(width: Int, using random: inout SeededGenerator) -> OracleSegment {
    OracleSegment(
      query: (0..<width).map { _ in queryByte(using: &random) }, product: constant(using: &random))
  }

  func bound(using random: inout SeededGenerator) -> OracleBound {
    OracleBound(
      error: constant(using: &random), rest: constant(using: &random),
      slack: constant(using: &random))
  }

  func row(widths: [Int], using random: inout SeededGenerator) -> OracleRow {
    OracleRow(
      nibbles: widths.map { (0..<$0).map { _ in nibble(using: &random) } },
      scales: widths.map { _ in byte(using: &random) }, projection: byte(using: &random),
      error: byte(using: &random), rest: byte(using: &random))
  }
}

/// Thresholds that keep everything, nothing much, and what a random one of the bounds or the float
/// above it tells apart.
func codeThresholds(_ bounds: [Float], using random: inout SeededGenerator) -> [Float] {
  let middle = bounds.randomElement(using: &random) ?? 0
  return [-.infinity, .greatestFiniteMagnitude, .infinity, .nan, middle, middle.nextUp]
}
