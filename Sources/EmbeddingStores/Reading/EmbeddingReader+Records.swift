internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Foundation

extension EmbeddingReader {
  /// Live rows: one for each part of each key.
  public func count() throws(StoreError) -> Int {
    try snapshot().count
  }

  /// Whether any part of `key` is stored. Costs one look-up.
  public func contains(_ key: String) throws(StoreError) -> Bool {
    let contents = try snapshot().contents
    return try translatingErrors { () throws(StorageError) in
      try !contents.liveRows(withKey: key).isEmpty
    }
  }

  /// All keys, each once, in an order that means nothing. Costs one row each.
  public func keys() throws(StoreError) -> [String] {
    let contents = try snapshot().contents
    return try translatingErrors { () throws(StorageError) in
      var keys: [String] = []
      try contents.live.forEach(in: 0..<contents.rowCount) { (row) throws(StorageError) in
        if contents.hasParts {
          let first = try contents.liveRows(withKey: try contents.key(of: row)).min()
          guard first == row else { return }
        }
        keys.append(try contents.key(of: row))
      }
      return keys
    }
  }

  /// Which of `keys` have no record and still need an embedding, in the order given.
  public func missing(from keys: some Sequence<String>) throws(StoreError) -> [String] {
    let contents = try snapshot().contents
    return try translatingErrors { () throws(StorageError) in
      var missing: [String] = []
      for key in keys where try contents.liveRows(withKey: key).isEmpty {
        missing.append(key)
      }
      return missing
    }
  }

  /// The stored vector of one part of `key`, or nil when there is none: normalised if the space
  /// is, and rounded to Float16.
  public func vector(for key: String, part: UInt16 = 0) throws(StoreError) -> [Float]? {
    let contents = try snapshot().contents
    return try translatingErrors { () throws(StorageError) in
      guard let row = try contents.liveRow(withKey: key, part: part) else { return nil }
      return try contents.vector(of: row)
    }
  }

  /// The record of one part of `key`, or nil when there is none.
  public func record(for key: String, part: UInt16 = 0) throws(StoreError) -> Record? {
    let contents = try snapshot().contents
    return try translatingErrors { () throws(StorageError) in
      guard let row = try contents.liveRow(withKey: key, part: part) else { return nil }
      return try contents.record(of: row)
    }
  }

  /// The records of all parts of `key`, by part.
  public func records(for key: String) throws(StoreError) -> [Record] {
    let contents = try snapshot().contents
    return try translatingErrors { () throws(StorageError) in
      var records: [Record] = []
      for row in try contents.liveRows(withKey: key) {
        records.append(try contents.record(of: row))
      }
      return records.sorted { $0.part < $1.part }
    }
  }

  /// The live rows that were put or updated after `changeNumber`, oldest change first.
  ///
  /// Start with 0 for all rows; go on with the `changeNumber` of the snapshot that was read.
  /// Removed rows are not in it. Reads the change number of every row.
  public func rows(changedSince changeNumber: UInt64) throws(StoreError) -> [ChangedRow] {
    let contents = try snapshot().contents
    return try translatingErrors { () throws(StorageError) in
      var rows: [ChangedRow] = []
      try contents.live.forEach(in: 0..<contents.rowCount) { (row) throws(StorageError) in
        let number = try contents.changeNumber(of: row)
        guard number > changeNumber else { return }
        rows.append(
          ChangedRow(
            key: try contents.key(of: row), part: try contents.part(of: row),
            changeNumber: number))
      }
      return rows.sorted { $0.changeNumber < $1.changeNumber }
    }
  }
}

/// A row and the number of the change that made it what it is.
public struct ChangedRow: Equatable, Sendable {
  /// The record's key.
  public let key: String
  /// The record's part.
  public let part: UInt16
  /// No two rows share one, and a later change has a larger one.
  public let changeNumber: UInt64

  /// Whether both are the same row and change, keys compared by bytes.
  public static func == (first: ChangedRow, second: ChangedRow) -> Bool {
    KeyOrder.areEqual(first.key, second.key) && first.part == second.part
      && first.changeNumber == second.changeNumber
  }
}

extension Contents {
  func vector(of row: Int) throws(StorageError) -> [Float] {
    try withRows(row..<row + 1) { (bytes) throws(StorageError) in
      widened(row: bytes, dimension: space.dimension)
    }
  }

  func record(of row: Int) throws(StorageError) -> Record {
    let details = try details(of: row)
    return Record(
      key: details.key, vector: try vector(of: row), part: details.part,
      timestamp: Timestamp.date(details.timestamp), labels: Set(details.labels),
      metadata: details.metadata.map { Data($0) }, text: details.text,
      revision: Revision(rawValue: details.revision))
  }
}
