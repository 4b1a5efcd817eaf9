internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Foundation

/// A record as a store holds it: with the Float16 bits of its row, for those who carry rows from one
/// store to another place and back without rounding them again.
package struct StoredRecord: Sendable {
  /// Its vector is what the row says.
  package var record: Record
  /// The row: two bytes a component, little-endian Float16.
  package let row: [UInt8]

  /// Gives a record the vector that a row says; exact, since every half is a float.
  package init(_ record: Record, row: [UInt8]) {
    self.record = record
    self.row = row
    self.record.components = row.withRawSpan { bytes in
      ContiguousArray(widened(row: bytes, dimension: row.count / 2))
    }
  }
}

extension Snapshot {
  /// The live rows whose change numbers are larger than `number`, by number. Reads the change
  /// number of every row.
  package func rows(numberedAfter number: UInt64) throws(StoreError) -> [NumberedRow] {
    try translatingErrors { () throws(StorageError) in
      var rows: [NumberedRow] = []
      try contents.live.forEach(in: 0..<contents.rowCount) { (row) throws(StorageError) in
        let rowNumber = try contents.changeNumber(of: row)
        if rowNumber > number { rows.append(NumberedRow(number: rowNumber, index: row)) }
      }
      return rows.sorted { $0.number < $1.number }
    }
  }

  /// The record in a row of this snapshot.
  package func storedRecord(in row: NumberedRow) throws(StoreError) -> StoredRecord {
    try translatingErrors { () throws(StorageError) in
      let details = try contents.details(of: row.index)
      let row = try contents.withRows(row.index..<row.index + 1) {
        (bytes) throws(StorageError) in
        bytes.array(at: 0, count: 2 * contents.space.dimension) ?? []
      }
      return StoredRecord(
        Record(
          key: details.key, vector: [], part: details.part,
          timestamp: Timestamp.date(details.timestamp), labels: Set(details.labels),
          metadata: details.metadata.map { Data($0) }, text: details.text,
          revision: Revision(rawValue: details.revision)), row: row)
    }
  }

  /// Which of some keys and parts no live row has, by their places. One look-up each.
  package func places(
    notStored names: [(key: String, part: UInt16)]
  ) throws(StoreError) -> [Int] {
    try translatingErrors { () throws(StorageError) in
      var places: [Int] = []
      for (place, name) in names.enumerated()
      where try contents.liveRow(withKey: name.key, part: name.part) == nil {
        places.append(place)
      }
      return places
    }
  }
}
