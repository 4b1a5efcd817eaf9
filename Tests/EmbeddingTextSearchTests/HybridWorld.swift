import EmbeddingStores
import EmbeddingTestSupport
import Foundation

@testable import EmbeddingTextSearch

/// A store with an index, and the same records in a list.
final class HybridWorld {
  struct Asked {
    var query: HybridQuery
    /// The words again, as phrases.
    var phrases: [([String], isPrefix: Bool)]
    /// What the closure lets pass: it depends on the key alone.
    var accepts: @Sendable (String) -> Bool
  }

  let store: EmbeddingStore
  let index: TextIndex
  let hasParts: Bool

  init(
    rowCount: Int, hasParts: Bool, isCompacted: Bool, words: [String], labels: [String],
    using generator: inout SeededGenerator
  ) throws {
    store = try EmbeddingStore(inMemory: WordBench.space)
    self.hasParts = hasParts
    var records: [Record] = []
    for number in 0..<rowCount {
      let text = (0..<Int.random(in: 0...8, using: &generator))
        .compactMap { _ in words.randomElement(using: &generator) }.joined(separator: " ")
      records.append(
        Record(
          key: "k\(hasParts ? number / 3 : number)",
          // Few components of few values, so that scores are often equal.
          vector: RandomVectors.integers(dimension: 4, using: &generator).map { $0 / 4 },
          part: hasParts ? UInt16(number % 3) : 0,
          timestamp: Date(timeIntervalSince1970: Double(Int.random(in: 0..<10, using: &generator))),
          labels: Set(labels.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }),
          text: Int.random(in: 0..<8, using: &generator) == 0 ? nil : text))
    }
    try store.put(records)
    if isCompacted { try store.compact() }
    index = try TextIndex(of: store)
    try index.catchUp()
    try change(words, using: &generator)
  }

  /// Updates some records and removes others, so that the index has something to follow.
  func change(_ words: [String], using generator: inout SeededGenerator) throws {
    for row in try store.rows(changedSince: 0) {
      switch Int.random(in: 0..<20, using: &generator) {
      case 0: try store.remove(row.key, part: row.part)
      case 1:
        try store.update([
          RecordUpdate(
            key: row.key, part: row.part,
            text: .set(words.randomElement(using: &generator) ?? ""))
        ])
      default: break
      }
    }
  }

  func query(
    _ words: [String], _ labels: [String], using generator: inout SeededGenerator
  ) -> Asked {
    var phrases: [([String], isPrefix: Bool)] = []
    var text = ""
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      guard let word = words.randomElement(using: &generator) else { continue }
      var tokens = NaiveWords.tokens(word)
      var isPrefix = false
      // A run's last scalar is in its last pair.
      if tokens.count > 1 { tokens.removeLast() }
      text += " " + word
      if word.utf8.allSatisfy({ $0 < 0x80 }), Bool.random(using: &generator) {
        text += "*"
        isPrefix = true
      }
      phrases.append((tokens, isPrefix))
    }
    let isAll = Bool.random(using: &generator)
    var filter = Filter()
    if Bool.random(using: &generator) {
      let start = Double(Int.random(in: 0..<10, using: &generator))
      let end = start + Double(Int.random(in: 0..<10, using: &generator))
      filter.timestamps =
        Date(timeIntervalSince1970: start)..<Date(timeIntervalSince1970: end)
    }
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      let some = Set(labels.filter { _ in Bool.random(using: &generator) })
      filter.labels.append(
        [.any(some), .all(some), .none(some)].randomElement(using: &generator) ?? .none([]))
    }
    let method: Fusion.Method =
      Bool.random(using: &generator) ? .reciprocalRank(constant: 10) : .scaledScore
    let kind = Int.random(in: 0..<3, using: &generator)
    let accepts: @Sendable (String) -> Bool = { kind == 0 || $0.utf8.count % 2 == kind % 2 }
    var query = HybridQuery(
      count: Int.random(in: 1...40, using: &generator),
      offset: Int.random(in: 0...3, using: &generator), filter: filter)
    query.grouping = Bool.random(using: &generator) ? .bestPartPerKey : .everyPart
    query.fusion = Fusion(
      method, vectorWeight: Double(Int.random(in: 0...2, using: &generator)),
      wordWeight: Double(Int.random(in: 0...2, using: &generator)),
      depth: Int.random(in: 1...60, using: &generator))
    if kind > 0 { query.predicate = { row in accepts(row.key) } }
    if Int.random(in: 0..<4, using: &generator) > 0 {
      query.target = .vector(RandomVectors.integers(dimension: 4, using: &generator))
    }
    if query.target == nil || Int.random(in: 0..<4, using: &generator) > 0 {
      query.words = WordQuery(text, matching: isAll ? .all : .any)
    }
    return Asked(query: query, phrases: phrases, accepts: accepts)
  }

  // MARK: - The slow way

  private struct Placed {
    let record: Record
    let score: Double
  }

  func answer(_ asked: Asked) throws -> [HybridMatch] {
    let query = asked.query
    let snapshot = try store.snapshot()
    let records = try snapshot.rows(changedSince: 0).compactMap {
      try snapshot.record(for: $0.key, part: $0.part)
    }
    let depth = max(query.fusion.depth, query.count + query.offset)
    var words: [Placed] = []
    if let asking = query.words {
      words = side(
        NaiveWords(records).scores(asked.phrases, all: asking.matching == .all).map {
          Placed(record: $0.0, score: $0.1)
        }, asked, depth)
    }
    var vectors: [Placed] = []
    if case .vector(let vector)? = query.target {
      // The score itself is the store's, which its own tests compare; what is compared here is how it
      // is used.
      var scores: [String: Double] = [:]
      for match in try snapshot.search(
        Query(.vector(vector), count: 10_000, grouping: .everyPart))
      {
        scores["\(match.key)/\(match.part)"] = Double(match.score)
      }
      vectors = side(
        records.map { Placed(record: $0, score: scores["\($0.key)/\($0.part)"] ?? -9) }, asked,
        depth)
    }
    return fuse(vectors, words, query)
  }

  private func side(_ all: [Placed], _ asked: Asked, _ depth: Int) -> [Placed] {
    var best: [Placed] = []
    var keys: Set<String> = []
    for placed in all.sorted(by: { first, second in
      if first.score != second.score { return first.score > second.score }
      return (first.record.key, first.record.part) < (second.record.key, second.record.part)
    }) where passes(placed.record, asked) {
      if asked.query.grouping == .bestPartPerKey, !keys.insert(placed.record.key).inserted {
        continue
      }
      best.append(placed)
    }
    return Array(best.prefix(depth))
  }

  private func passes(_ record: Record, _ asked: Asked) -> Bool {
    let query = asked.query
    if let range = query.filter.timestamps {
      guard let time = record.timestamp, range.contains(time) else { return false }
    }
    for condition in query.filter.labels {
      switch condition {
      case .any(let labels): if record.labels.isDisjoint(with: labels) { return false }
      case .all(let labels): if !record.labels.isSuperset(of: labels) { return false }
      case .none(let labels): if !record.labels.isDisjoint(with: labels) { return false }
      }
    }
    return asked.accepts(record.key)
  }

  private func fuse(
    _ vectors: [Placed], _ words: [Placed], _ query: HybridQuery
  ) -> [HybridMatch] {
    func worth(_ list: [Placed], _ position: Int) -> Double {
      if case .reciprocalRank(let constant) = query.fusion.method {
        return 1 / (constant + Double(position) + 1)
      }
      let (best, last) = (list[0].score, list[list.count - 1].score)
      return best == last ? 1 : (list[position].score - last) / (best - last)
    }
    func isSame(_ first: Record, _ second: Record) -> Bool {
      first.key == second.key && (query.grouping == .bestPartPerKey || first.part == second.part)
    }
    var matches: [HybridMatch] = []
    let candidates =
      vectors.map(\.record)
      + words.map(\.record).filter { word in !vectors.contains { isSame($0.record, word) } }
    for record in candidates {
      let vector = vectors.firstIndex { isSame($0.record, record) }
      let word = words.firstIndex { isSame($0.record, record) }
      var score = 0.0
      if let vector { score += query.fusion.vectorWeight * worth(vectors, vector) }
      if let word { score += query.fusion.wordWeight * worth(words, word) }
      matches.append(
        HybridMatch(
          key: record.key, part: word.map { words[$0].record.part } ?? record.part, score: score,
          vector: vector.map {
            .init(rank: $0 + 1, score: vectors[$0].score, part: vectors[$0].record.part)
          },
          words: word.map {
            .init(rank: $0 + 1, score: words[$0].score, part: words[$0].record.part)
          }))
    }
    let sorted = matches.sorted { first, second in
      if first.score != second.score { return first.score > second.score }
      return (first.key, first.part) < (second.key, second.part)
    }
    return Array(sorted.dropFirst(query.offset).prefix(query.count))
  }
}
