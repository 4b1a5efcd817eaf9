/// Applies changes to contents: one commit's worth, in order.
///
/// New rows go into the shared `JournalRows`, where nobody sees them until the edited contents
/// are published; `rollBack` takes them out again.
struct ContentsEditor {
  private let original: Contents
  private var edited: Contents
  private let firstNewRow: Int
  private(set) var putCount = 0
  private(set) var removedCount = 0

  init(_ contents: Contents) {
    original = contents
    edited = contents
    firstNewRow = contents.journalRowCount
  }

  /// Applies one change. `row` is the Float16 components of a put.
  mutating func apply(
    _ change: Change, sequence: UInt64, row: RawSpan
  ) throws(StorageError) {
    switch change {
    case .put(let details):
      try replace(with: details, sequence: sequence, row: row)
      putCount += 1
    case .update(let update):
      guard let old = try edited.liveRow(withKey: update.key, part: update.part) else {
        throw StorageError(
          .notFound,
          "There is no record with key \"\(update.key)\" and part \(update.part) to update.",
          key: update.key)
      }
      let details = update.applied(to: try edited.details(of: old))
      // The vector moves with its details: a row is in one place only.
      let bytes = try edited.withRows(old..<old + 1) { (span) throws(StorageError) -> [UInt8] in
        span.array(at: 0, count: 2 * original.space.dimension) ?? []
      }
      try bytes.withRawSpan { (row) throws(StorageError) in
        try replace(with: details, sequence: sequence, row: row)
      }
      putCount += 1
    case .remove(let key, let part):
      for row in try edited.liveRows(withKey: key) {
        if let part, try edited.part(of: row) != part { continue }
        bury(row)
        removedCount += 1
      }
    case .removeAll:
      removedCount += edited.liveRowCount
      edited.live = RowBitmap(rowCount: edited.live.rowCount)
      edited.liveRowCount = 0
    }
    edited.lastSequence = sequence
  }

  /// The contents with all changes so far.
  var current: Contents { edited }

  /// Takes the rows of this edit out of the shared rows again.
  func rollBack() {
    original.journal.removeRows(from: firstNewRow)
  }

  /// Appends a row and buries the one of the same key and part.
  private mutating func replace(
    with details: RecordDetails, sequence: UInt64, row: RawSpan
  ) throws(StorageError) {
    let hash = KeyHash.hash(details.key)
    let hasOlder = edited.journal.append(
      details, hash: hash, changeNumber: sequence, row: row)
    // The new row is not part of the contents yet, so only an old one can be found.
    if hasOlder || edited.main.rowCount > 0,
      let old = try edited.liveRow(withKey: details.key, hash: hash, part: details.part)
    {
      bury(old)
    }
    let index = edited.rowCount
    edited.live.grow(to: index + 1)
    edited.live.insert(index)
    edited.appendedJournalRow()
    if details.part != 0 { edited.hasParts = true }
    if !edited.space.isNormalized {
      edited.maximumRowLength = max(edited.maximumRowLength, edited.rowLength(row))
    }
  }

  private mutating func bury(_ row: Int) {
    edited.live.remove(row)
    edited.liveRowCount -= 1
  }
}
