internal import EmbeddingFiles

/// A record to be put of which some details are not given: they stay as the store has them.
package struct PartialRecord: Sendable {
  package var record: Record
  package var keepsTimestamp: Bool
  package var keepsLabels: Bool
  package var keepsMetadata: Bool
  package var keepsText: Bool

  package init(
    _ record: Record, keepsTimestamp: Bool, keepsLabels: Bool, keepsMetadata: Bool, keepsText: Bool
  ) {
    self.record = record
    self.keepsTimestamp = keepsTimestamp
    self.keepsLabels = keepsLabels
    self.keepsMetadata = keepsMetadata
    self.keepsText = keepsText
  }

  /// Takes over the details that are kept.
  func fill(_ details: inout RecordDetails, from stored: RecordDetails) {
    if keepsTimestamp { details.timestamp = stored.timestamp }
    if keepsLabels { details.labels = stored.labels }
    if keepsMetadata { details.metadata = stored.metadata }
    if keepsText { details.text = stored.text }
  }
}

extension EmbeddingStore {
  /// `replace` with records whose missing details are those that the store has when it commits, of the
  /// same part or else of the first: nothing that others change meanwhile is lost.
  @discardableResult
  package func replace(_ records: [PartialRecord]) throws(StoreError) -> Commit {
    try write(records.map(\.record)) { (contents, changes) throws(StorageError) in
      var filled: [Change] = []
      for (partial, change) in zip(records, changes) {
        guard case .put(var details) = change else { continue }
        if let row = try contents.rowWithDetails(for: details) {
          partial.fill(&details, from: try contents.details(of: row))
        }
        filled.append(.put(details))
      }
      return filled + (try contents.removals(ofPartsNotIn: filled))
    }
  }

  /// Removes keys, unless they are more than `share` of those that are stored when it commits.
  ///
  /// - Throws: `.tooManyRemovals` then.
  @discardableResult
  package func remove(_ keys: [String], atMost share: Double) throws(StoreError) -> Commit {
    try commit { (contents) throws(StorageError) in
      var removals: [Change] = []
      for key in keys where try !contents.liveRows(withKey: key).isEmpty {
        removals.append(.remove(key: key, part: nil))
      }
      // Counting keys may visit every row.
      guard !removals.isEmpty else { return [] }
      let storedCount = try contents.liveKeyCount()
      guard Double(removals.count) <= share * Double(storedCount) else {
        throw StorageError.tooManyRemovals(removals.count, of: storedCount, share: share)
      }
      return removals
    }
  }
}

extension Contents {
  /// The row whose details a record takes over: that of its part, or of its key's first part.
  fileprivate func rowWithDetails(for details: RecordDetails) throws(StorageError) -> Int? {
    if let same = try liveRow(withKey: details.key, part: details.part) { return same }
    return try liveRows(withKey: details.key).first
  }

  /// What takes away the parts that the keys of `puts` have and `puts` has not.
  func removals(ofPartsNotIn puts: [Change]) throws(StorageError) -> [Change] {
    var parts: [Key: Set<UInt16>] = [:]
    for case .put(let details) in puts {
      parts[Key(details.key), default: []].insert(details.part)
    }
    var removals: [Change] = []
    for (key, kept) in parts {
      for row in try liveRows(withKey: key.string) {
        let part = try part(of: row)
        if !kept.contains(part) { removals.append(.remove(key: key.string, part: part)) }
      }
    }
    return removals
  }

  /// Keys with a live row. Visits every row when there are parts.
  fileprivate func liveKeyCount() throws(StorageError) -> Int {
    guard hasParts else { return liveRowCount }
    var keys: Set<Key> = []
    try live.forEach(in: 0..<rowCount) { (row) throws(StorageError) in
      keys.insert(Key(try key(of: row)))
    }
    return keys.count
  }
}

extension StorageError {
  /// More would be removed than may be.
  static func tooManyRemovals(_ count: Int, of storedCount: Int, share: Double) -> StorageError {
    StorageError(
      .tooManyRemovals,
      "\(count) of \(storedCount) keys are not in the source, more than the share of \(share) that "
        + "may be removed. Check that the source was loaded fully.")
  }
}
