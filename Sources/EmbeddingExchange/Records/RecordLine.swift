internal import EmbeddingFiles
internal import EmbeddingStores
internal import Foundation

/// A record without its vector, as a line of JSON holds it.
struct RecordLine: Sendable {
  var key: String
  var part: UInt16?
  /// Milliseconds since 1970.
  var timestamp: Int64?
  var labels: [String]?
  var text: String?
  var metadata: Data?
  var revision: UInt64?

  init(key: String) {
    self.key = key
  }

  init(_ details: RecordDetails) {
    key = details.key
    part = details.part == 0 ? nil : details.part
    timestamp = details.timestamp == RecordDetails.noTimestamp ? nil : details.timestamp
    labels = details.labels.isEmpty ? nil : details.labels
    text = details.text
    metadata = details.metadata.map { Data($0) }
    revision = details.revision == RecordDetails.noRevision ? nil : details.revision
  }

  func record(_ vector: [Float]) -> Record {
    Record(
      key: key, vector: vector, part: part ?? 0,
      timestamp: timestamp.map { Date(timeIntervalSince1970: Double($0) / 1_000) },
      labels: Set(labels ?? []), metadata: metadata, text: text,
      revision: revision.flatMap { Revision(rawValue: $0) })
  }

  /// Bytes that a batch holds for it, beside the vector.
  var byteCount: Int {
    key.utf8.count + (labels ?? []).reduce(0) { $0 + $1.utf8.count } + (text?.utf8.count ?? 0)
      + (metadata?.count ?? 0)
  }
}

extension RecordLine: Codable {
  private enum Field: String, CodingKey, CaseIterable {
    case key, part, timestamp, labels, text, metadata, revision
  }

  static func hasField(_ name: String) -> Bool { Field(rawValue: name) != nil }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Field.self)
    key = try values.decode(String.self, forKey: .key)
    part = try values.decodeIfPresent(UInt16.self, forKey: .part)
    timestamp = try values.decodeIfPresent(Int64.self, forKey: .timestamp)
    labels = try values.decodeIfPresent([String].self, forKey: .labels)
    text = try values.decodeIfPresent(String.self, forKey: .text)
    metadata = try values.decodeIfPresent(Data.self, forKey: .metadata)
    if let digits = try values.decodeIfPresent(String.self, forKey: .revision) {
      guard let number = UInt64(digits), number > 0, !digits.hasPrefix("+") else {
        throw DecodingError.dataCorruptedError(
          forKey: .revision, in: values,
          debugDescription: "a revision is a number from 1 to 2^64 - 1, as a string")
      }
      revision = number
    }
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Field.self)
    try values.encode(key, forKey: .key)
    try values.encodeIfPresent(part, forKey: .part)
    try values.encodeIfPresent(timestamp, forKey: .timestamp)
    try values.encodeIfPresent(labels, forKey: .labels)
    try values.encodeIfPresent(text, forKey: .text)
    try values.encodeIfPresent(metadata, forKey: .metadata)
    // As a string, because many readers of JSON round numbers beyond 2^53.
    try values.encodeIfPresent(revision.map { "\($0)" }, forKey: .revision)
  }
}
