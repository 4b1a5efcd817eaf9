internal import EmbeddingFiles

extension LiveRows {
  /// The live rows of some keys and parts, and for each of them its place among `names`; names that
  /// no live row has are left out. One look-up a name.
  package static func named(
    _ names: [(key: String, part: UInt16)], in snapshot: Snapshot
  ) throws(StoreError) -> (rows: LiveRows, places: [Int]) {
    try translatingErrors { () throws(StorageError) in
      var (rows, places): ([UInt32], [Int]) = ([], [])
      for (place, name) in names.enumerated() {
        guard let row = try snapshot.contents.liveRow(withKey: name.key, part: name.part) else {
          continue
        }
        rows.append(UInt32(truncatingIfNeeded: row))
        places.append(place)
      }
      return (LiveRows(snapshot.contents, rows, snapshot.threads.most), places)
    }
  }

  /// The key and part of each row, by position.
  package func identities() throws(StoreError) -> [(key: String, part: UInt16)] {
    try map { (row) throws(StorageError) in (try contents.key(of: row), try contents.part(of: row))
    }
  }

  /// Milliseconds since 1970 of each row, by position; nil where there is no timestamp.
  package func timestamps() throws(StoreError) -> [Int64?] {
    try map { (row) throws(StorageError) in
      let timestamp = try contents.timestamp(of: row)
      return timestamp == RecordDetails.noTimestamp ? nil : timestamp
    }
  }

  /// The labels of each row, by position.
  package func labels() throws(StoreError) -> [[String]] {
    try map { (row) throws(StorageError) in try contents.labels(of: row) }
  }

  /// The text of each row, by position; nil where there is none. Decompresses blocks of 64 KiB.
  package func texts() throws(StoreError) -> [String?] {
    try map { (row) throws(StorageError) in try contents.metadataAndText(of: row).text }
  }

  /// A number for each row that rows share exactly when they have the same key.
  package func keyNumbers() throws(StoreError) -> [Int] {
    try map { (row) throws(StorageError) in try contents.group(of: row) }
  }

  private func map<Value>(
    _ value: (Int) throws(StorageError) -> Value
  ) throws(StoreError) -> [Value] {
    try translatingErrors { () throws(StorageError) in
      var values: [Value] = []
      values.reserveCapacity(count)
      for row in rows { values.append(try value(Int(row))) }
      return values
    }
  }
}
