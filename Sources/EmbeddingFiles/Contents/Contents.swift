/// An immutable view of everything in a store: the rows of one main file and of the journal that
/// continues it, without the dead ones.
///
/// Rows are numbered from 0: those of the main file first, then those of the journal. The number
/// of a row holds within one view and its successors until the next compaction.
package struct Contents: Sendable {
  package let main: MainFile
  package let journal: JournalRows
  package internal(set) var journalRowCount: Int
  private var chunks: [JournalRowChunk]
  /// Rows that are not dead.
  package internal(set) var live: RowBitmap
  package internal(set) var liveRowCount: Int
  /// The change number of the newest change.
  package internal(set) var lastSequence: UInt64
  /// Whether some row has a part other than 0, so that a key may have several rows.
  package internal(set) var hasParts: Bool
  /// No row is longer (L2) than this.
  package internal(set) var maximumRowLength: Float
  let rowLength: @Sendable (RawSpan) -> Float

  /// The contents of a main file alone.
  init(main: MainFile, rowLength: @escaping @Sendable (RawSpan) -> Float) {
    self.main = main
    self.rowLength = rowLength
    journal = JournalRows(stride: main.stride)
    journalRowCount = 0
    chunks = []
    live = RowBitmap(rowCount: main.rowCount, repeating: true)
    liveRowCount = main.rowCount
    lastSequence = main.header.lastSequence
    hasParts = main.header.hasParts
    maximumRowLength = main.header.maximumRowLength
  }

  /// Takes in the row that was appended last to the shared rows; the caller sets its bit.
  mutating func appendedJournalRow() {
    if journalRowCount % journal.chunkRowCount == 0 {
      chunks = journal.chunks(count: journalRowCount + 1)
    }
    journalRowCount += 1
    liveRowCount += 1
  }

  package var space: SpaceDescription { main.header.space }
  package var mainRowCount: Int { main.rowCount }
  package var rowCount: Int { main.rowCount + journalRowCount }
  package var deadRowCount: Int { rowCount - liveRowCount }

  package func isLive(_ row: Int) -> Bool {
    live.contains(row)
  }

  package func key(of row: Int) throws(StorageError) -> String {
    if row < main.rowCount { return try main.key(of: row) }
    let (chunk, index) = journalRow(row)
    return chunk[index].details.key
  }

  package func part(of row: Int) throws(StorageError) -> UInt16 {
    if row < main.rowCount { return try main.part(of: row) }
    let (chunk, index) = journalRow(row)
    return chunk[index].details.part
  }

  /// Milliseconds since 1970, or `RecordDetails.noTimestamp`.
  package func timestamp(of row: Int) throws(StorageError) -> Int64 {
    if row < main.rowCount { return try main.timestamp(of: row) }
    let (chunk, index) = journalRow(row)
    return chunk[index].details.timestamp
  }

  package func changeNumber(of row: Int) throws(StorageError) -> UInt64 {
    if row < main.rowCount { return try main.changeNumber(of: row) }
    let (chunk, index) = journalRow(row)
    return chunk[index].changeNumber
  }

  /// A fingerprint of the content behind a row's vector, or `RecordDetails.noRevision`.
  package func revision(of row: Int) throws(StorageError) -> UInt64 {
    if row < main.rowCount { return try main.revision(of: row) }
    let (chunk, index) = journalRow(row)
    return chunk[index].details.revision
  }

  package func details(of row: Int) throws(StorageError) -> RecordDetails {
    if row < main.rowCount { return try main.details(of: row) }
    let (chunk, index) = journalRow(row)
    return chunk[index].details
  }

  /// The labels of a row, sorted by UTF-8 bytes.
  package func labels(of row: Int) throws(StorageError) -> [String] {
    guard row < main.rowCount else {
      let (chunk, index) = journalRow(row)
      return chunk[index].details.labels
    }
    let labels = try main.labels()
    var names: [String] = []
    for position in try main.labelPositions(of: row) {
      guard position < labels.count else { throw main.damage("a row has an unknown label") }
      names.append(labels[position])
    }
    return names
  }

  package func metadataAndText(
    of row: Int
  ) throws(StorageError) -> (metadata: [UInt8]?, text: String?) {
    if row < main.rowCount { return try main.metadataAndText(of: row) }
    let details = try details(of: row)
    return (details.metadata, details.text)
  }

  /// The live rows that hold parts of `key`.
  package func liveRows(withKey key: String) throws(StorageError) -> [Int] {
    try allRows(withKey: key, hash: KeyHash.hash(key)).filter(isLive)
  }

  /// The live row of one part of `key`, or nil.
  package func liveRow(withKey key: String, part: UInt16) throws(StorageError) -> Int? {
    try liveRow(withKey: key, hash: KeyHash.hash(key), part: part)
  }

  func liveRow(withKey key: String, hash: UInt64, part: UInt16) throws(StorageError) -> Int? {
    for row in try allRows(withKey: key, hash: hash) where isLive(row) {
      if try self.part(of: row) == part { return row }
    }
    return nil
  }

  /// A number that two rows share exactly when they have the same key.
  package func group(of row: Int) throws(StorageError) -> Int {
    guard hasParts else { return row }
    let key = try key(of: row)
    return try allRows(withKey: key, hash: KeyHash.hash(key)).min() ?? row
  }

  private func allRows(withKey key: String, hash: UInt64) throws(StorageError) -> [Int] {
    var rows = try main.rows(withKey: key, hash: hash)
    if journalRowCount > 0 {
      for row in journal.rows(withHash: hash, below: journalRowCount) {
        let (chunk, index) = journalRow(main.rowCount + row)
        if KeyOrder.areEqual(chunk[index].details.key, key) { rows.append(main.rowCount + row) }
      }
    }
    return rows
  }

  private func journalRow(_ row: Int) -> (JournalRowChunk, Int) {
    let index = row - main.rowCount
    return (
      chunks[index / journal.chunkRowCount], index % journal.chunkRowCount
    )
  }
}

// MARK: - Rows in memory

extension Contents {
  package var stride: Int { main.stride }

  /// The longest run of rows from `row` on, below `end`, that lie one after the other in memory.
  package func contiguousRows(from row: Int, below end: Int) -> Range<Int> {
    guard row >= main.rowCount else { return row..<min(end, main.rowCount) }
    let chunk = (row - main.rowCount) / journal.chunkRowCount
    return row..<min(end, main.rowCount + (chunk + 1) * journal.chunkRowCount)
  }

  /// Calls `body` with rows that lie one after the other, `stride` bytes each.
  ///
  /// `range` must be within one run that `contiguousRows` gives.
  package func withRows<Result>(
    _ range: Range<Int>, _ body: (RawSpan) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    guard range.lowerBound >= main.rowCount else { return try main.withRows(range, body) }
    let (chunk, index) = journalRow(range.lowerBound)
    return try chunk.withRows(index..<index + range.count, body)
  }
}
