internal import EmbeddingStores

/// One call of a history, with everything it needs, so that any other calls can be left out.
enum OracleOperation: Sendable {
  case put([Record])
  case insert([Record])
  /// Records of which one can not be stored, for a reason; putting or inserting.
  case refused([Record], StoreError.Code, isInsertion: Bool)
  case update([RecordUpdate])
  case remove([String])
  case removePart(String, UInt16)
  case removeAll
  /// The keys that the source still has, and the share that may go.
  case reconcile([String], share: Double)
  case compact
  case reopen(isClosing: Bool)
  case refreshReader
  case reopenReader
  case takeSnapshot
  case checkSnapshot
  case search(OracleQuery, On)
  case searchTogether([OracleQuery], On)
  case read([String], On)
  /// Changes since one of the earlier commits, counted back from the newest.
  case changes(commitsAgo: Int)
  case compareAll
  /// Compares a copy of the store.
  case backUp

  /// What is read from.
  enum On: CaseIterable, Sendable {
    case store, reader, snapshot
  }
}

/// A query that says its condition in words, for the store and for the model.
struct OracleQuery: Sendable {
  enum Condition: CaseIterable, Sendable {
    case hasText, isFirstPart, isNight, hasMetadata, never
  }

  var query: Query
  var condition: Condition?

  /// The query as the store takes it.
  var asked: Query {
    var query = query
    if let condition { query.predicate = { condition.admits($0) } }
    return query
  }

  /// Whether the model lets a record through.
  func admits(_ record: Record) -> Bool {
    let filter = query.filter
    if case .key(let key, _) = query.target, key.utf8.elementsEqual(record.key.utf8) {
      return false
    }
    if let keys = filter.keys, !keys.contains(where: { $0.utf8.elementsEqual(record.key.utf8) }) {
      return false
    }
    if let range = filter.timestamps {
      guard let timestamp = record.timestamp, range.contains(timestamp) else { return false }
    }
    let isLabelled = filter.labels.allSatisfy { condition in
      switch condition {
      case .any(let labels): !labels.isDisjoint(with: record.labels)
      case .all(let labels): labels.isSubset(of: record.labels)
      case .none(let labels): labels.isDisjoint(with: record.labels)
      }
    }
    return isLabelled && (condition?.admits(record) ?? true)
  }
}

extension OracleQuery.Condition {
  fileprivate func admits(_ row: Row) -> Bool {
    switch self {
    case .hasText: row.text != nil
    case .isFirstPart: row.part == 0
    case .isNight: row.labels.contains("night")
    case .hasMetadata: row.metadata != nil
    case .never: false
    }
  }

  fileprivate func admits(_ record: Record) -> Bool {
    switch self {
    case .hasText: record.text != nil
    case .isFirstPart: record.part == 0
    case .isNight: record.labels.contains("night")
    case .hasMetadata: record.metadata != nil
    case .never: false
    }
  }
}
