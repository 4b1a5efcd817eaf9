import EmbeddingExchange
import EmbeddingStores
import Foundation

/// What a list says of each row, read by other means than the library's.
struct ListedRecords {
  private struct Line {
    var key: String
    var fields: [String: Any] = [:]
  }

  private let lines: [Line]

  init(_ list: RecordList, _ bytes: [UInt8], count: Int) throws {
    if case .rowNumbers = list {
      lines = (0..<count).map { Line(key: "\($0)") }
      return
    }
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]
    var pieces = text.split(separator: 0x0a, omittingEmptySubsequences: false)
    if pieces.last?.isEmpty == true { pieces.removeLast() }
    lines = try pieces.map { piece in
      let line = piece.last == 0x0d ? piece.dropLast() : piece
      guard case .jsonLines = list else { return Line(key: String(decoding: line, as: UTF8.self)) }
      let object = try JSONSerialization.jsonObject(with: Data(line))
      guard let fields = object as? [String: Any], let key = fields["key"] as? String else {
        throw FuzzFinding("A line without a key was taken.")
      }
      return Line(key: key, fields: fields)
    }
  }

  /// Finds every row under its key, as the list says and with the vector of the array.
  func check(_ store: EmbeddingStore, _ vectors: VectorFile) throws {
    try FuzzFinding.require(
      lines.count == vectors.rowCount, "\(lines.count) lines went with \(vectors.rowCount) rows.")
    for (row, vector) in try vectors.vectors(0..<vectors.rowCount).enumerated() {
      let line = lines[row]
      let part = (line.fields["part"] as? NSNumber)?.uint16Value ?? 0
      guard let record = try store.record(for: line.key, part: part) else {
        throw FuzzFinding("There is no record of row \(row).")
      }
      try FuzzFinding.require(Self.areEqual(record, line.fields), "Row \(row) is \(record).")
      try FuzzFinding.require(
        zip(record.vector, vector).allSatisfy { abs($0 - $1) <= max(0x1p-25, abs($1) * 0x1p-11) },
        "The vector of row \(row) is \(record.vector), not \(vector).")
    }
  }

  private static func areEqual(_ record: Record, _ fields: [String: Any]) -> Bool {
    let milliseconds = record.timestamp.map { ($0.timeIntervalSince1970 * 1_000).rounded() }
    let revision = (fields["revision"] as? String).flatMap(UInt64.init)
    return record.labels == Set(fields["labels"] as? [String] ?? [])
      && record.text == fields["text"] as? String
      // Not the text: the last digit may have bits that mean nothing.
      && record.metadata == (fields["metadata"] as? String).flatMap { Data(base64Encoded: $0) }
      && milliseconds == (fields["timestamp"] as? NSNumber)?.doubleValue
      && record.revision?.rawValue == revision
  }
}
