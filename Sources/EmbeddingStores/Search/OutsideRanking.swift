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

  private let contents: Contents
  private let finder: RowFinder
  /// Nil when every row is.
  private let allowed: RowBitmap?
  private let grouping: Query.Grouping
  private let predicate: (@Sendable (Row) -> Bool)?

  /// - Parameter excludedKey: A key that is left out.
  package init(
    of snapshot: Snapshot, finder: RowFinder, filter: Filter = Filter(),
    grouping: Query.Grouping = .bestPartPerKey, excludedKey: String? = nil,
    predicate: (@Sendable (Row) -> Bool)? = nil
  ) throws(StoreError) {
    let contents = snapshot.contents
    self.contents = contents
    self.finder = finder
    self.grouping = grouping
    self.predicate = predicate
    allowed = try translatingErrors { () throws(StorageError) in
      try SearchPlan.allowedRows(contents, filter, without: excludedKey)
    }
  }

  /// What tells of a row's number whether the filter lets it into the result; nil when most rows may
  /// enter, so that asking about each before it is scored does not pay. Asked in ascending order, it
  /// takes little time.
  package func makeAdmission() -> ((UInt64) -> Bool)? {
    guard let allowed, allowed.count < contents.liveRowCount / 2 else { return nil }
    var place = 0
    return { number in
      do throws(StorageError) {
        return try allowedRow(numbered: number, from: &place) != nil
      } catch {
        // The ranking meets the same error, and can throw it.
        return true
      }
    }
  }

  /// The `count` best rows of those that the snapshot has and the conditions allow, by score descending,
  /// then the bytes of the key, then the part. Numbers that the snapshot does not have are passed over.
  ///
  /// Costs a look-up for each entry, a short one where their numbers ascend. The closure is asked in
  /// the order of the ranking, about each row at most once.
  package func best(_ count: Int, of entries: [Entry]) throws(StoreError) -> [Ranked] {
    try translatingErrors { () throws(StorageError) in
      var rows: [RowsByScore.OutsideScore] = []
      var place = 0
      for entry in entries {
        guard let row = try allowedRow(numbered: entry.number, from: &place) else { continue }
        rows.append((entry.score, row))
      }
      return try best(count, of: RowsByScore(rows))
    }
  }

  private func allowedRow(
    numbered number: UInt64, from place: inout Int
  ) throws(StorageError) -> Int? {
    guard let row = try finder.row(numbered: number, in: contents, from: &place),
      allowed?.contains(row) != false
    else { return nil }
    return row
  }

  private func best(_ count: Int, of rows: RowsByScore) throws(StorageError) -> [Ranked] {
    var rows = rows
    let source = RowSource(contents)
    var ranked: [Ranked] = []
    var groups: Set<Int> = []
    // Keys are only compared where they decide: a common word has many rows of one score.
    var tied: ArraySlice<RowsByScore.OutsideScore> = []
    while ranked.count < count {
      if tied.isEmpty { tied = try rows.popBest(of: contents)[...] }
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

extension Contents {
  /// Whether a row comes before another by the bytes of its key, then by its part.
  func precedes(_ first: Int, _ second: Int) throws(StorageError) -> Bool {
    let (firstKey, secondKey) = (try key(of: first), try key(of: second))
    if KeyOrder.areEqual(firstKey, secondKey) { return try part(of: first) < part(of: second) }
    return KeyOrder.precedes(firstKey, secondKey)
  }
}
