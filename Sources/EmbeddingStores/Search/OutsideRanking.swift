internal import EmbeddingFiles

/// Rows that something else than their vectors ranked, under the conditions of a search.
package struct OutsideRanking: Sendable {
  /// A row by its change number, and what it scored; larger is better.
  package struct Entry: Sendable {
    package let number: UInt64
    package let score: Double

    package init(number: UInt64, score: Double) {
      self.number = number
      self.score = score
    }
  }

  /// One of the best rows.
  package struct Ranked: Sendable {
    package let key: String
    package let part: UInt16
    package let score: Double
    package let rowIndex: Int
  }

  package var filter = Filter()
  package var grouping = Query.Grouping.bestPartPerKey
  package var predicate: (@Sendable (Row) -> Bool)?
  /// A key that is left out.
  package var excludedKey: String?

  package init() {}

  /// The `count` best rows of those that the snapshot has and the conditions allow, by score descending,
  /// then the bytes of the key, then the part. Numbers that the snapshot does not have are passed over.
  ///
  /// Costs a look-up for each entry, a short one where their numbers ascend. The closure is asked in the order of the ranking, about
  /// each row at most once.
  package func best(
    _ count: Int, of entries: [Entry], in snapshot: Snapshot, finder: RowFinder
  ) throws(StoreError) -> [Ranked] {
    let contents = snapshot.contents
    return try translatingErrors { () throws(StorageError) in
      let allowed = try SearchPlan.allowedRows(contents, filter, without: excludedKey)
      var rows: [RowsByScore.Element] = []
      var place = 0
      for entry in entries {
        guard let row = try finder.row(numbered: entry.number, in: contents, from: &place) else {
          continue
        }
        if let allowed, !allowed.contains(row) { continue }
        rows.append((entry.score, row))
      }
      var ordered = RowsByScore(rows)
      let source = RowSource(contents)
      var ranked: [Ranked] = []
      var groups: Set<Int> = []
      // Keys are only compared where they decide: a common word has many rows of one score.
      var tied: ArraySlice<RowsByScore.Element> = []
      while ranked.count < count {
        if tied.isEmpty { tied = try ordered.popBest(of: contents)[...] }
        guard let (score, row) = tied.popFirst() else { break }
        let group = grouping == .bestPartPerKey ? try contents.group(of: row) : row
        guard !groups.contains(group) else { continue }
        if let predicate {
          let isAdmitted = predicate(Row(source: source, index: row))
          try source.failure.check()
          guard isAdmitted else { continue }
        }
        groups.insert(group)
        ranked.append(
          Ranked(
            key: try contents.key(of: row), part: try contents.part(of: row), score: score,
            rowIndex: row))
      }
      return ranked
    }
  }
}

extension Contents {
  /// Whether a row comes before another by the bytes of its key, then by its part.
  func precedes(_ first: Int, _ second: Int) throws(StorageError) -> Bool {
    let (firstKey, secondKey) = (try key(of: first), try key(of: second))
    if KeyOrder.areEqual(firstKey, secondKey) { return try part(of: first) < part(of: second) }
    return KeyOrder.precedes(firstKey, secondKey)
  }
}
