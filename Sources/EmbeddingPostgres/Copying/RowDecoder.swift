internal import EmbeddingStores
internal import Foundation

/// Makes records of what the server sends.
struct RowDecoder {
  private let schema: PostgresSchema

  init(_ schema: PostgresSchema) {
    self.schema = schema
  }

  /// A record of a row whose columns from the fifth on are: timestamp, labels, text, metadata and
  /// the content's revision.
  func record(
    _ row: ResultRow, key: String, part: UInt16, embedding: [UInt8]
  ) throws(PostgresError) -> Record {
    var timestamp: Date?
    if let microseconds = try row.integer(4, as: Int64.self) {
      guard let date = PostgresTime.date(microseconds) else {
        throw PostgresError(
          .invalidRow, "The timestamp of \"\(key)\" is infinite; stores hold none such.", key: key)
      }
      timestamp = date
    }
    let revision = try row.integer(8, as: Int64.self).flatMap {
      Revision(rawValue: UInt64(bitPattern: $0))
    }
    let details = Record(
      key: key, vector: [], part: part, timestamp: timestamp, labels: Set(try row.texts(5)),
      metadata: row.bytes(7).map { Data($0) }, text: try row.text(6), revision: revision)
    return try record(details, embedding: embedding)
  }

  /// Gives a record the vector that pgvector's binary format says: int16 number of components,
  /// int16 0, components.
  func record(_ details: Record, embedding: [UInt8]) throws(PostgresError) -> Record {
    var reader = WireReader(embedding)
    let count = Int(try reader.integer(Int16.self))
    _ = try reader.integer(Int16.self)
    guard count == schema.space.dimension else {
      throw PostgresError(
        .invalidRow,
        "The vector of \"\(details.key)\" has \(count) components, and not "
          + "\(schema.space.dimension).", key: details.key)
    }
    var record = details
    switch schema.vectorType {
    case .halfvec:
      let bytes = Array(try reader.take(2 * count))
      var row: [UInt8] = []
      row.reserveCapacity(bytes.count)
      for index in 0..<count {
        row.append(bytes[2 * index + 1])
        row.append(bytes[2 * index])
      }
      record = StoredRecord(details, row: row).record
    case .vector:
      var vector: [Float] = []
      vector.reserveCapacity(count)
      for _ in 0..<count { vector.append(Float(bitPattern: try reader.integer())) }
      record.vector = vector
    }
    guard reader.isAtEnd else { throw WireReader.malformed }
    return record
  }
}
