extension Snippet {
  /// The passage of about `length` characters that holds the most words, the first of equal ones; nil
  /// when none of `ranges`, in UTF-8 bytes, ascending, is given.
  package init?(of text: String, ranges: [Range<Int>], length: Int) {
    guard !ranges.isEmpty else { return nil }
    // Four bytes hold any scalar; characters of several scalars make the passage shorter.
    let limit = max(1, min(length, 1 << 40))
    let (first, last) = Self.densest(ranges, within: 2 * limit)
    let start = Self.character(of: text, at: ranges[first].lowerBound, roundingUp: false)
    let end = Self.character(of: text, at: ranges[last].upperBound, roundingUp: true)
    let used = text[start..<end].count
    let spare = max(0, limit - used)
    var lower = text.index(start, offsetBy: -(spare / 2), limitedBy: text.startIndex)
    if lower == nil { lower = text.startIndex }
    let before = text[lower!..<start].count
    var upper =
      text.index(end, offsetBy: spare - before, limitedBy: text.endIndex) ?? text.endIndex
    if used > limit {
      upper = text.index(start, offsetBy: limit, limitedBy: text.endIndex) ?? text.endIndex
    }
    let from = lower ?? start
    let passage = String(text[from..<upper])
    let origin = text.utf8.distance(from: text.startIndex, to: from)
    let count = passage.utf8.count
    self.text = passage
    self.ranges = ranges.compactMap { range in
      let lower = max(0, range.lowerBound - origin)
      let upper = min(count, range.upperBound - origin)
      guard lower < upper else { return nil }
      return passage.utf8.index(
        passage.startIndex, offsetBy: lower)..<passage.utf8.index(
          passage.startIndex, offsetBy: upper)
    }
    isCut = (from > text.startIndex, upper < text.endIndex)
  }

  /// The positions of the first and last of the most ranges that lie within so many bytes.
  private static func densest(_ ranges: [Range<Int>], within byteCount: Int) -> (Int, Int) {
    var best = (0, 0)
    var first = 0
    for last in ranges.indices {
      while first < last, ranges[last].upperBound - ranges[first].lowerBound > byteCount {
        first += 1
      }
      if last - first > best.1 - best.0 { best = (first, last) }
    }
    return best
  }

  /// Where the character begins, or ends, that a UTF-8 byte belongs to.
  private static func character(
    of text: String, at offset: Int, roundingUp: Bool
  ) -> String.Index {
    let index = text.utf8.index(text.startIndex, offsetBy: offset)
    let character = text.rangeOfComposedCharacter(at: index)
    return roundingUp && character.lowerBound < index ? character.upperBound : character.lowerBound
  }
}

extension String {
  fileprivate func rangeOfComposedCharacter(at index: Index) -> Range<Index> {
    guard index < endIndex else { return endIndex..<endIndex }
    let after = self.index(after: index)
    let start = self.index(before: after)
    return start..<after
  }
}
