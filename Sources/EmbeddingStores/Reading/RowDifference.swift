internal import EmbeddingFiles

/// What something derived from a store must forget and take in to hold a snapshot's rows.
///
/// Rows go by their change numbers: no two share one, and a row that is updated gets another.
package struct RowDifference: Sendable {
  /// The numbers of rows that are held and not in the snapshot, ascending.
  package var gone: [UInt64] = []
  /// The rows of the snapshot that are not held, by number ascending.
  package var new: [NumberedRow] = []
}

/// A row of one snapshot and its change number.
package struct NumberedRow: Sendable {
  package let number: UInt64
  package let index: Int
}

/// Which rows a snapshot had, to tell quickly what a later one has in their place.
package struct RowMark: Sendable {
  package let changeNumber: UInt64
  fileprivate let generation: UInt64
  fileprivate let journal: UInt64
  fileprivate let live: RowBitmap
}

extension Snapshot {
  /// The 16 bytes that are the same in all files of one store and in no other's.
  package var storeIdentifier: [UInt8] {
    let identifier = contents.main.header.identifier
    return [identifier.high, identifier.low].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
  }

  package var mark: RowMark {
    RowMark(
      changeNumber: changeNumber, generation: contents.main.header.generation,
      journal: contents.journal.identifier, live: contents.live)
  }

  /// What changed since an earlier snapshot. Visits the rows that did, and one bit for each other
  /// row; nil when a compaction lies between, so that rows can not be compared by their places.
  package func difference(since mark: RowMark) throws(StoreError) -> RowDifference? {
    guard mark.generation == contents.main.header.generation,
      mark.journal == contents.journal.identifier, mark.live.rowCount <= contents.rowCount
    else { return nil }
    return try translatingErrors { () throws(StorageError) in
      var difference = RowDifference()
      var gone = mark.live
      gone.subtract(contents.live)
      try gone.forEach(in: 0..<gone.rowCount) { (row) throws(StorageError) in
        difference.gone.append(try contents.changeNumber(of: row))
      }
      difference.gone.sort()
      try contents.live.forEach(in: mark.live.rowCount..<contents.rowCount) {
        (row) throws(StorageError) in
        difference.new.append(
          NumberedRow(number: try contents.changeNumber(of: row), index: row))
      }
      difference.new.sort { $0.number < $1.number }
      return difference
    }
  }

  /// What the snapshot has, compared with rows of which only the numbers, ascending, are known. Reads
  /// the change number of every row.
  package func difference(from held: [UInt64]) throws(StoreError) -> RowDifference {
    try translatingErrors { () throws(StorageError) in
      var rows: [NumberedRow] = []
      rows.reserveCapacity(contents.liveRowCount)
      var isAscending = true
      try contents.live.forEach(in: 0..<contents.rowCount) { (row) throws(StorageError) in
        let number = try contents.changeNumber(of: row)
        if let last = rows.last, last.number > number { isAscending = false }
        rows.append(NumberedRow(number: number, index: row))
      }
      if !isAscending { rows.sort { $0.number < $1.number } }
      var difference = RowDifference()
      var next = 0
      for row in rows {
        while next < held.count, held[next] < row.number {
          difference.gone.append(held[next])
          next += 1
        }
        if next < held.count, held[next] == row.number {
          next += 1
        } else {
          difference.new.append(row)
        }
      }
      difference.gone.append(contentsOf: held[next...])
      return difference
    }
  }

  /// The text of a row of this snapshot, and its labels, sorted by their bytes.
  package func words(
    ofRow index: Int
  ) throws(StoreError) -> (text: String?, labels: [String]) {
    try translatingErrors { () throws(StorageError) in
      (try contents.metadataAndText(of: index).text, try contents.labels(of: index))
    }
  }
}
