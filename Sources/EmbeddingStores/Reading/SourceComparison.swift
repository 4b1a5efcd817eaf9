internal import EmbeddingFiles

/// Compares a snapshot with a source's items, one after the other, without a list of keys in memory:
/// a bit for each row says whether its item was met.
package struct SourceComparison {
  /// What the store knows of an item.
  package enum Stored {
    case no
    /// All parts were made from this revision, or some without or from different ones (nil).
    case yes(Revision?)
    /// The source named the item before.
    case metBefore
  }

  private let contents: Contents
  private var unmet: RowBitmap
  /// Stored keys that were met.
  package private(set) var metKeyCount = 0

  package init(_ snapshot: Snapshot) {
    contents = snapshot.contents
    unmet = snapshot.contents.live
  }

  /// Looks an item up and notes that the source has it. Costs one look-up.
  package mutating func meet(_ key: String) throws(StoreError) -> Stored {
    try translatingErrors { () throws(StorageError) -> Stored in
      let rows = try contents.liveRows(withKey: key)
      guard let first = rows.first else { return .no }
      guard unmet.contains(first) else { return .metBefore }
      metKeyCount += 1
      let revision = try contents.revision(of: first)
      var agree = true
      for row in rows {
        unmet.remove(row)
        if try contents.revision(of: row) != revision { agree = false }
      }
      return .yes(agree ? Revision(rawValue: revision) : nil)
    }
  }

  /// The stored keys that were not met, by their bytes.
  package func unmetKeys() throws(StoreError) -> [String] {
    try translatingErrors { () throws(StorageError) -> [String] in
      var keys: Set<Key> = []
      try unmet.forEach(in: 0..<contents.rowCount) { (row) throws(StorageError) in
        keys.insert(Key(try contents.key(of: row)))
      }
      return keys.sorted().map(\.string)
    }
  }
}
