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
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { Array($0) }
    if lines.last?.isEmpty == true { lines.removeLast() }
    let covered = markKeysOfSeveralLines(lines, keys)
    var sorted: [[UInt8]]?
    for (index, line) in lines.enumerated() where !covered.contains(index) && !line.isEmpty {
      if keys.contains(line) {
        removed.insert(line)
      } else {
        let order = sorted ?? keys.sorted { $0.lexicographicallyPrecedes($1) }
        sorted = order
        markTornLine(line, isLast: index == lines.count - 1, keys, order)
      }
    }
    uncertain.subtract(removed)
  }

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
    for key in keys where key.contains(UInt8(ascii: "\n")) {
      let parts = key.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      for start in lines.indices
      where lines[start...].starts(with: parts, by: { $0.elementsEqual($1) }) {
        uncertain.insert(key)
        uncertain.formUnion(parts.map { Array($0) }.filter(keys.contains))
        covered.formUnion(start..<start + parts.count)
      }
    }
    return covered
  }

  /// A line that is no key may be the beginning of one, alone or with a whole key behind it.
  private mutating func markTornLine(
    _ line: [UInt8], isLast: Bool, _ keys: Set<[UInt8]>, _ order: [[UInt8]]
  ) {
    if isLast { markOnlyKey(beginningWith: line, order) }
    for length in 1..<line.count {
      let (torn, whole) = (Array(line.prefix(length)), Array(line.dropFirst(length)))
      guard keys.contains(whole), !order.beginning(with: torn, limit: 1).isEmpty else { continue }
      uncertain.insert(whole)
      markOnlyKey(beginningWith: torn, order)
    }
  }

  /// Beyond one, a few letters would be enough to leave everything.
  private mutating func markOnlyKey(beginningWith torn: [UInt8], _ order: [[UInt8]]) {
    let found = order.beginning(with: torn, limit: 2)
    if found.count == 1 { uncertain.formUnion(found) }
  }
}

extension [[UInt8]] {
  /// The first few elements of a sorted list that begin so and go on.
  fileprivate func beginning(with prefix: [UInt8], limit: Int) -> ArraySlice<[UInt8]> {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle].lexicographicallyPrecedes(prefix) { low = middle + 1 } else { high = middle }
    }
    if low < count, self[low] == prefix { low += 1 }
    var end = low
    while end < count, end - low < limit, self[end].starts(with: prefix) { end += 1 }
    return self[low..<end]
  }
}
