public import Foundation

/// New details for a record that the store has; its vector stays.
///
/// Computing an embedding is expensive, so what changes more often than the picture or the words
/// behind it can be changed alone.
public struct RecordUpdate: Sendable {
  /// What happens to one field.
  public enum Field<Value: Sendable>: Sendable {
    /// It stays as it is.
    case unchanged
    /// It becomes this.
    case set(Value)
    /// The record no longer has it.
    case removed
  }

  /// The record's key.
  public var key: String
  /// The record's part.
  public var part: UInt16
  /// What happens to the timestamp.
  public var timestamp: Field<Date>
  /// What happens to the labels, all of them together.
  public var labels: Field<Set<String>>
  /// What happens to the metadata.
  public var metadata: Field<Data>
  /// What happens to the text.
  public var text: Field<String>

  /// Names the record and what changes.
  public init(
    key: String, part: UInt16 = 0, timestamp: Field<Date> = .unchanged,
    labels: Field<Set<String>> = .unchanged, metadata: Field<Data> = .unchanged,
    text: Field<String> = .unchanged
  ) {
    self.key = key
    self.part = part
    self.timestamp = timestamp
    self.labels = labels
    self.metadata = metadata
    self.text = text
  }
}
