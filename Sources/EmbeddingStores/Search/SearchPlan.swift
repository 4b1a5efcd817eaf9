internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Foundation

/// A query made ready for one snapshot: everything that is decided before rows are scored.
struct SearchPlan: Sendable {
  let source: RowSource
  let query: PreparedQuery
  /// Matches to keep, those to be left out for paging included.
  let capacity: Int
  let offset: Int
  let minimumScore: Float
  /// The rows that may match; nil when all rows may.
  let allowed: RowBitmap?
  let isGrouped: Bool
  /// Kept here, since every row asks.
  private let isNormalized: Bool
  let predicate: (@Sendable (Row) -> Bool)?

  init(_ query: Query, in snapshot: Snapshot) throws(StoreError) {
    guard query.count > 0, query.offset >= 0 else {
      throw StoreError(
        .invalidArgument,
        "A search asks for 1 match or more, from offset 0 on; this one asks for \(query.count) "
          + "from \(query.offset).")
    }
    if let score = query.minimumScore, score.isNaN {
      throw StoreError(.invalidArgument, "The minimum score is not a number.")
    }
    let contents = snapshot.contents
    source = RowSource(contents)
    let (last, overflow) = query.count.addingReportingOverflow(query.offset)
    capacity = overflow ? .max : last
    offset = query.offset
    minimumScore = query.minimumScore ?? -.infinity
    isGrouped = query.grouping == .bestPartPerKey && contents.hasParts
    isNormalized = contents.space.isNormalized
    predicate = query.predicate
    let ownKey: String?
    switch query.target {
    case .vector(let vector):
      ownKey = nil
      self.query = try Self.prepare(vector, in: snapshot.space)
    case .embedding(let embedding):
      guard embedding.space == snapshot.space else {
        throw snapshot.space.mismatch(embedding.space)
      }
      ownKey = nil
      self.query = try Self.prepare(embedding.vector, in: snapshot.space)
    case .key(let key, let part):
      ownKey = key
      self.query = try Self.prepare(key, part, in: contents)
    }
    allowed = try translatingErrors { () throws(StorageError) in
      try Self.allowedRows(contents, query.filter, without: ownKey)
    }
  }

  private static func prepare(
    _ vector: [Float], in space: EmbeddingSpace
  ) throws(StoreError) -> PreparedQuery {
    do throws(VectorDefect) {
      return try PreparedQuery(
        ContiguousArray(vector).span, dimension: space.dimension,
        normalizing: space.normalization == .unitLength)
    } catch {
      throw StoreError(error, key: nil)
    }
  }

  private static func prepare(
    _ key: String, _ part: UInt16, in contents: Contents
  ) throws(StoreError) -> PreparedQuery {
    let query = try translatingErrors { () throws(StorageError) -> PreparedQuery? in
      guard let row = try contents.liveRow(withKey: key, part: part) else { return nil }
      return try contents.withRows(row..<row + 1) { (bytes) throws(StorageError) in
        PreparedQuery(row: bytes, dimension: contents.space.dimension)
      }
    }
    guard let query else {
      throw StoreError(
        .notFound, "There is no record with key \"\(key)\" and part \(part) to search from.",
        key: key)
    }
    return query
  }

  /// The rows that a filter allows; nil when all rows are live and may match.
  static func allowedRows(
    _ contents: Contents, _ filter: Filter, without ownKey: String?
  ) throws(StorageError) -> RowBitmap? {
    var rows = contents.live
    if let keys = filter.keys {
      rows = try contents.liveRows(withKeys: keys)
    }
    if let range = filter.timestamps {
      rows.formIntersection(try contents.rows(withTimestampsIn: range))
    }
    for condition in filter.labels {
      try contents.intersect(&rows, with: condition.condition)
    }
    if let ownKey {
      for row in try contents.liveRows(withKey: ownKey) {
        rows.remove(row)
      }
    }
    return rows.count == contents.rowCount ? nil : rows
  }

  var contents: Contents { source.contents }

  /// An empty result set for this plan, with ties broken by key, then part.
  func makeCandidates() -> SharedCandidates {
    let source = source
    let candidates = TopCandidates(capacity: capacity, grouped: isGrouped) { first, second in
      source.failure.catching(first < second) { () throws(StorageError) in
        let firstKey = try source.contents.key(of: Int(first))
        let secondKey = try source.contents.key(of: Int(second))
        if KeyOrder.areEqual(firstKey, secondKey) {
          return try source.contents.part(of: Int(first)) < contents.part(of: Int(second))
        }
        return KeyOrder.precedes(firstKey, secondKey)
      }
    }
    return SharedCandidates(candidates, isGrouped: isGrouped)
  }

  /// A score as matches show it. Cosines of rounded rows can exceed 1 by rounding.
  func clamped(_ score: Float) -> Float {
    isNormalized ? min(max(score, -1), 1) : score
  }

  /// The smallest kernel score whose clamped value reaches `threshold`.
  func unclamped(_ threshold: Float) -> Float {
    isNormalized && threshold <= -1 ? -.infinity : threshold
  }

  /// A scored row as a candidate; nil when the filter or the minimum score excludes it.
  func candidate(_ row: Int, _ score: Float) throws(StorageError) -> Candidate? {
    if let allowed, !allowed.contains(row) { return nil }
    let score = clamped(score)
    guard score >= minimumScore else { return nil }
    let index = UInt32(truncatingIfNeeded: row)
    let group = isGrouped ? UInt32(truncatingIfNeeded: try source.contents.group(of: row)) : index
    return Candidate(score: score, row: index, group: group)
  }

  /// What the closure says of a row.
  func isAdmitted(_ row: Int) throws(StorageError) -> Bool {
    guard let predicate else { return true }
    let isAdmitted = predicate(Row(source: source, index: row))
    // What it read may have been damaged; then its answer means nothing.
    try source.failure.check()
    return isAdmitted
  }

  func matches(best: [Candidate]) throws(StorageError) -> [Match] {
    try source.failure.check()
    let wanted = best.dropFirst(offset)
    // In a loop of its own, so that the processor waits for many rows at a time.
    var parts: [UInt16] = []
    parts.reserveCapacity(wanted.count)
    for candidate in wanted { parts.append(try contents.part(of: Int(candidate.row))) }
    var matches: [Match] = []
    matches.reserveCapacity(wanted.count)
    for (candidate, part) in zip(wanted, parts) {
      matches.append(
        Match(key: try contents.key(of: Int(candidate.row)), part: part, score: candidate.score))
    }
    return matches
  }
}

extension Filter.LabelCondition {
  fileprivate var condition: EmbeddingFiles.LabelCondition {
    switch self {
    case .any(let labels): .any(labels)
    case .all(let labels): .all(labels)
    case .none(let labels): .none(labels)
    }
  }
}

extension Contents {
  /// The rows whose timestamp lies in `range`, live or not.
  fileprivate func rows(withTimestampsIn range: Range<Date>) throws(StorageError) -> RowBitmap {
    guard let lower = Timestamp.bound(range.lowerBound),
      let end = Timestamp.bound(range.upperBound), lower < end
    else { return RowBitmap(rowCount: rowCount) }
    let words = try main.withTimestamps { (timestamps) throws(StorageError) in
      markRange(
        values: timestamps, count: main.rowCount, lower: lower, upper: end - 1)
    }
    var rows = RowBitmap(words: words, rowCount: main.rowCount)
    rows.grow(to: rowCount)
    for row in main.rowCount..<rowCount {
      let timestamp = try self.timestamp(of: row)
      if timestamp >= lower, timestamp < end { rows.insert(row) }
    }
    return rows
  }
}
