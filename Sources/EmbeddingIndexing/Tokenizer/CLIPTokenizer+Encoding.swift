extension CLIPTokenizer {
  /// Encodes a text. Of a text that is too long the first tokens are kept, and the end token stays
  /// the last id.
  ///
  /// Any string is allowed; an empty one gives the start and the end.
  ///
  /// - Complexity: O(*n* log *n*) for a text of *n* bytes.
  public func encode(_ text: String) -> Tokens {
    let cleaned = CleanText.scalars(of: text)
    var splitter = WordSplitter(cleaned)
    var joining = BytePairJoining(vocabulary)
    var ids: [Int32] = []
    ids.reserveCapacity(contextLength)
    ids.append(startID)
    var cutTokenCount = 0
    var cutIndex = cleaned.count

    while let word = splitter.next() {
      let room = contextLength - 1 - ids.count
      if let special = word.special {
        if room > 0 {
          ids.append(special == .start ? startID : endID)
        } else {
          if cutTokenCount == 0 { cutIndex = word.range.lowerBound }
          cutTokenCount += 1
        }
        continue
      }
      joining.join(cleaned[word.range])
      let keptCount = min(room, joining.ids.count)
      ids.append(contentsOf: joining.ids.prefix(keptCount))
      if keptCount < joining.ids.count {
        if cutTokenCount == 0 {
          cutIndex = cleaned.index(
            ofByte: joining.byteOffsets[keptCount], from: word.range.lowerBound)
        }
        cutTokenCount += joining.ids.count - keptCount
      }
    }

    ids.append(endID)
    let tokenCount = ids.count
    ids.append(contentsOf: repeatElement(0, count: contextLength - tokenCount))
    return Tokens(
      ids: ids, tokenCount: tokenCount, cutTokenCount: cutTokenCount,
      cutText: text.end(from: cutIndex, of: cleaned))
  }
}

extension [TracedScalar] {
  /// The scalar that the byte belongs to, counting bytes from the scalar at `start`.
  fileprivate func index(ofByte offset: Int, from start: Int) -> Int {
    var index = start
    var end = 0
    while index < count {
      end += UTF8.width(self[index].value)
      if offset < end { break }
      index += 1
    }
    return index
  }
}

extension String {
  /// The part of the text that the cleaned scalars from `index` on stand for, whole characters.
  fileprivate func end(from index: Int, of cleaned: [TracedScalar]) -> Substring {
    guard index < cleaned.count, let last = cleaned.last else { return self[endIndex...] }
    let lower = utf8.index(startIndex, offsetBy: cleaned[index].source.lowerBound)
    let upper = utf8.index(startIndex, offsetBy: last.source.upperBound)
    guard lower < upper else { return self[endIndex...] }
    return self[self.index(before: self.index(after: lower))..<upper]
  }
}
