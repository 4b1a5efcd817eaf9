package import EmbeddingFiles

extension LiveRows {
  /// The Float16 bits of the rows at some positions, one row after the other without gaps.
  package func halves(_ positions: Range<Int>) throws(StoreError) -> [UInt8] {
    try translatingErrors { () throws(StorageError) in
      let writer = ByteWriter(capacity: positions.count * 2 * dimension)
      for position in positions {
        let row = Int(rows[position])
        try contents.withRows(row..<row + 1) { (bytes) throws(StorageError) in
          writer.append(bytes.extracting(0..<2 * dimension))
        }
      }
      return writer.bytes
    }
  }

  /// What the rows at some positions hold beside their vectors.
  package func details(_ positions: Range<Int>) throws(StoreError) -> [RecordDetails] {
    try translatingErrors { () throws(StorageError) in
      var details: [RecordDetails] = []
      for position in positions { details.append(try contents.details(of: Int(rows[position]))) }
      return details
    }
  }
}
