/// A set of row indexes, one bit each. Copied on write.
package struct RowBitmap: Equatable, Sendable {
  package private(set) var words: [UInt64]
  /// Rows with an index below this have a bit.
  package private(set) var rowCount: Int

  package init(rowCount: Int, repeating value: Bool = false) {
    self.rowCount = rowCount
    words = Array(repeating: value ? .max : 0, count: (rowCount + 63) / 64)
    clearTail()
  }

  /// Takes over words whose bits at and above `rowCount` are ignored.
  package init(words: [UInt64], rowCount: Int) {
    self.rowCount = rowCount
    self.words = words
    clearTail()
  }

  @inline(__always)
  package func contains(_ row: Int) -> Bool {
    row < rowCount && words[row >> 6] & (1 << UInt64(row & 63)) != 0
  }

  package mutating func insert(_ row: Int) {
    words[row >> 6] |= 1 << UInt64(row & 63)
  }

  package mutating func remove(_ row: Int) {
    words[row >> 6] &= ~(1 << UInt64(row & 63))
  }

  /// Adds rows without setting their bits.
  package mutating func grow(to rowCount: Int) {
    guard rowCount > self.rowCount else { return }
    self.rowCount = rowCount
    let missing = (rowCount + 63) / 64 - words.count
    if missing > 0 { words.append(contentsOf: repeatElement(0, count: missing)) }
  }

  package mutating func formIntersection(_ other: RowBitmap) {
    for index in words.indices {
      words[index] &= index < other.words.count ? other.words[index] : 0
    }
  }

  package mutating func subtract(_ other: RowBitmap) {
    for index in 0..<min(words.count, other.words.count) {
      words[index] &= ~other.words[index]
    }
  }

  package var count: Int {
    words.reduce(0) { $0 + $1.nonzeroBitCount }
  }

  /// The number of rows of `range` in the set; its bounds must be multiples of 64 or `rowCount`.
  package func count(in range: Range<Int>) -> Int {
    var count = 0
    for index in range.lowerBound / 64..<(range.upperBound + 63) / 64 {
      count += words[index].nonzeroBitCount
    }
    return count
  }

  /// Calls `body` with every row of `range` in the set, ascending.
  @inline(__always)
  package func forEach<Failure: Error>(
    in range: Range<Int>, _ body: (Int) throws(Failure) -> Void
  ) throws(Failure) {
    guard !range.isEmpty else { return }
    for index in range.lowerBound / 64...(range.upperBound - 1) / 64 {
      var word = words[index]
      if index == range.lowerBound / 64 {
        word &= .max << UInt64(range.lowerBound % 64)
      }
      while word != 0 {
        let row = index * 64 + word.trailingZeroBitCount
        guard row < range.upperBound else { return }
        try body(row)
        word &= word - 1
      }
    }
  }

  private mutating func clearTail() {
    if rowCount % 64 != 0, let last = words.indices.last {
      words[last] &= (1 << UInt64(rowCount % 64)) - 1
    }
  }
}
