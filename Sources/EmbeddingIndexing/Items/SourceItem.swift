public import EmbeddingStores
public import Foundation

/// What a source says of one item, without its content.
///
/// Timestamp, labels, metadata and text are stored beside the item's vector when it is encoded; what
/// changes without the content is for `EmbeddingStore.update`. Where they are nil, a record that the
/// store has of the item keeps its own.
public struct SourceItem: Equatable, Sendable {
  /// The item's identifier, and the key of its records: 1 to 65,535 UTF-8 bytes.
  public var key: String
  /// Changes whenever the item's content does, and only then; nil for content that never changes.
  public var revision: Revision?
  /// When the item was made.
  public var timestamp: Date?
  /// Its tags.
  public var labels: Set<String>?
  /// Bytes that mean something to the app.
  public var metadata: Data?
  /// Its words.
  public var text: String?

  /// Describes an item.
  public init(
    key: String, revision: Revision? = nil, timestamp: Date? = nil, labels: Set<String>? = nil,
    metadata: Data? = nil, text: String? = nil
  ) {
    self.key = key
    self.revision = revision
    self.timestamp = timestamp
    self.labels = labels
    self.metadata = metadata
    self.text = text
  }
}
