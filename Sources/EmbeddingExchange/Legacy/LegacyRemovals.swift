/// The list of removed keys, with what makes it ambiguous.
///
/// A key with a line break is more than one line, so its lines may be other keys. A write that was cut
/// short leaves the beginning of a key, without a line end or with the next key behind it.
struct LegacyRemovals {
  enum Verdict {
    case kept, uncertain, removed
  }

  private var removed: Set<[UInt8]> = []
  private var uncertain: Set<[UInt8]> = []

  /// - Parameter keys: The keys of all records.
  init(_ text: [UInt8], keys: Set<[UInt8]>) {
    var lines = text.split(separator: Self.lineEnd, omittingEmptySubsequences: false)
      .map { Array($0) }
    // What follows the last line end was cut short, unless it is empty.
    let hasTornEnd = lines.last?.isEmpty == false
    if !hasTornEnd { lines.removeLast() }
    let covered = markKeysOfSeveralLines(lines, keys)
    var unknown: [Int] = []
    for (index, line) in lines.enumerated() where !covered.contains(index) && !line.isEmpty {
      if keys.contains(line) { removed.insert(line) } else { unknown.append(index) }
    }
    let order = unknown.isEmpty ? [] : keys.sorted { $0.lexicographicallyPrecedes($1) }
    for index in unknown {
      markTornLine(lines[index], isAlone: hasTornEnd && index == lines.count - 1, keys, order)
    }
    uncertain.subtract(removed)
  }

  private static let lineEnd = UInt8(ascii: "\n")

  func verdict(on key: [UInt8]) -> Verdict {
    if removed.contains(key) { return .removed }
    return uncertain.contains(key) ? .uncertain : .kept
  }

  /// Where the lines of one key follow each other, that key was removed, or its lines were. Gives back
  /// which lines these are.
  private mutating func markKeysOfSeveralLines(
    _ lines: [[UInt8]], _ keys: Set<[UInt8]>
  ) -> Set<Int> {
    var covered: Set<Int> = []
    let broken = keys.filter { $0.contains(Self.lineEnd) }
    guard !broken.isEmpty else { return covered }
    let places = Dictionary(grouping: lines.indices) { lines[$0] }
    for key in broken {
      let parts = key.split(separator: Self.lineEnd, omittingEmptySubsequences: false).map {
        Array($0)
      }
      guard let starts = parts.first.flatMap({ places[$0] }) else { continue }
      for start in starts where lines[start...].starts(with: parts) {
        uncertain.insert(key)
        uncertain.formUnion(parts.filter(keys.contains))
        covered.formUnion(start..<start + parts.count)
      }
    }
    return covered
  }

  /// A line that is no key may be the beginning of one, alone or with a whole key behind it.
  private mutating func markTornLine(
    _ line: [UInt8], isAlone: Bool, _ keys: Set<[UInt8]>, _ order: [[UInt8]]
  ) {
    if isAlone { markOnlyKey(beginningWith: line, order) }
    for length in 0..<min(order.longestBeginning(of: line), line.count - 1) {
      let whole = Array(line.dropFirst(length + 1))
      guard keys.contains(whole) else { continue }
      uncertain.insert(whole)
      markOnlyKey(beginningWith: Array(line.prefix(length + 1)), order)
    }
  }

  /// Beyond one, a few letters would be enough to leave everything.
  private mutating func markOnlyKey(beginningWith torn: [UInt8], _ order: [[UInt8]]) {
    let found = order.beginning(with: torn, limit: 2)
    if found.count == 1 { uncertain.formUnion(found) }
  }
}

/// Sorted by bytes.
extension [[UInt8]] {
  /// The first few elements that begin so.
  fileprivate func beginning(with prefix: [UInt8], limit: Int) -> ArraySlice<[UInt8]> {
    let start = place(of: prefix)
    return self[start..<Swift.min(count, start + limit)].prefix { $0.starts(with: prefix) }
  }

  /// How many bytes of a line some element begins with.
  fileprivate func longestBeginning(of line: [UInt8]) -> Int {
    let place = place(of: line)
    return self[Swift.max(0, place - 1)..<Swift.min(count, place + 1)]
      .map { zip($0, line).prefix { $0 == $1 }.count }.max() ?? 0
  }

  /// Where an element is, or would be.
  private func place(of element: [UInt8]) -> Int {
    var range = startIndex..<endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if self[middle].lexicographicallyPrecedes(element) {
        range = middle + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }
}
