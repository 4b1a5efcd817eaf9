internal import EmbeddingStores

/// Two rankings made one.
package struct RankFusion {
  /// A match on one side, by key, and by part where parts stay apart.
  package struct Entry {
    package let key: String
    package let part: UInt16
    package let score: Double

    package init(key: String, part: UInt16, score: Double) {
      self.key = key
      self.part = part
      self.score = score
    }
  }

  let fusion: Fusion
  let groupsParts: Bool

  package init(fusion: Fusion, groupsParts: Bool) {
    self.fusion = fusion
    self.groupsParts = groupsParts
  }

  private struct Identity: Hashable {
    let key: [UInt8]
    let part: UInt16
  }

  private struct Fused {
    let key: String
    var vector: HybridMatch.Placement?
    var words: HybridMatch.Placement?
    var score = 0.0
  }

  /// All matches of both sides, best first: by score, then by the bytes of the key, then by part.
  package func matches(vector: [Entry], words: [Entry]) -> [HybridMatch] {
    var fused: [Identity: Fused] = [:]
    for (rank, (entry, worth)) in zip(vector, worths(of: vector)).enumerated() {
      fused[identity(entry), default: Fused(key: entry.key)].vector = placement(entry, rank)
      fused[identity(entry)]?.score += fusion.vectorWeight * worth
    }
    for (rank, (entry, worth)) in zip(words, worths(of: words)).enumerated() {
      fused[identity(entry), default: Fused(key: entry.key)].words = placement(entry, rank)
      fused[identity(entry)]?.score += fusion.wordWeight * worth
    }
    return fused.values.map { match in
      HybridMatch(
        key: match.key, part: match.words?.part ?? match.vector?.part ?? 0, score: match.score,
        vector: match.vector, words: match.words)
    }.sorted { first, second in
      if first.score != second.score { return first.score > second.score }
      if first.key.utf8.elementsEqual(second.key.utf8) { return first.part < second.part }
      return first.key.utf8.lexicographicallyPrecedes(second.key.utf8)
    }
  }

  private func worths(of entries: [Entry]) -> [Double] {
    switch fusion.method {
    case .reciprocalRank(let constant):
      return entries.indices.map { 1 / (constant + Double($0 + 1)) }
    case .scaledScore:
      guard let best = entries.first?.score, let last = entries.last?.score, best > last else {
        return entries.map { _ in 1 }
      }
      return entries.map { ($0.score - last) / (best - last) }
    }
  }

  private func identity(_ entry: Entry) -> Identity {
    Identity(key: Array(entry.key.utf8), part: groupsParts ? 0 : entry.part)
  }

  private func placement(_ entry: Entry, _ rank: Int) -> HybridMatch.Placement {
    HybridMatch.Placement(rank: rank + 1, score: entry.score, part: entry.part)
  }
}
