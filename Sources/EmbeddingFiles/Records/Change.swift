/// One change to a store's contents, as a journal entry says it. Rows are never named by
/// position, so that an entry means the same in every generation.
package enum Change: Sendable {
  /// A record under (key, part), replacing what was there. Its row follows the entry's details.
  case put(RecordDetails)
  /// New details for an existing record; nil fields of the update stay as they are.
  case update(DetailsUpdate)
  /// Removes one part of a key, or all parts when `part` is nil; nothing when there is none.
  case remove(key: String, part: UInt16?)
  case removeAll
}

/// What a record holds beside its vector.
package struct RecordDetails: Equatable, Sendable {
  /// The timestamp of a record that has none.
  package static let noTimestamp = Int64.min
  /// The revision of a record that has none.
  package static let noRevision: UInt64 = 0

  package var key: String
  package var part: UInt16
  /// Milliseconds since 1970, or `noTimestamp`.
  package var timestamp: Int64
  /// Sorted by UTF-8 bytes, without repetition.
  package var labels: [String]
  package var metadata: [UInt8]?
  package var text: String?
  /// A fingerprint of the content that the vector was made from, or `noRevision`.
  package var revision: UInt64

  package init(
    key: String, part: UInt16 = 0, timestamp: Int64 = RecordDetails.noTimestamp,
    labels: [String] = [], metadata: [UInt8]? = nil, text: String? = nil,
    revision: UInt64 = RecordDetails.noRevision
  ) {
    self.key = key
    self.part = part
    self.timestamp = timestamp
    self.labels = labels
    self.metadata = metadata
    self.text = text
    self.revision = revision
  }
}

/// Which details of a record change, and to what. Its revision belongs to the vector and stays.
package struct DetailsUpdate: Equatable, Sendable {
  package var key: String
  package var part: UInt16
  package var timestamp: Int64?
  package var labels: [String]?
  package var metadata: [UInt8]??
  package var text: String??

  package init(
    key: String, part: UInt16 = 0, timestamp: Int64? = nil, labels: [String]? = nil,
    metadata: [UInt8]?? = nil, text: String?? = nil
  ) {
    self.key = key
    self.part = part
    self.timestamp = timestamp
    self.labels = labels
    self.metadata = metadata
    self.text = text
  }

  package func applied(to details: RecordDetails) -> RecordDetails {
    var result = details
    if let timestamp { result.timestamp = timestamp }
    if let labels { result.labels = labels }
    if let metadata { result.metadata = metadata }
    if let text { result.text = text }
    return result
  }
}
