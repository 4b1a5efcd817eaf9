public import Foundation

/// What a source says of one item, without its content.
public struct SourceItem: Equatable, Sendable {
  /// The item's identifier, and the key of its records: 1 to 65,535 UTF-8 bytes.
  public var key: String
  /// When the item was made.
  public var timestamp: Date?

  /// Describes an item.
  public init(key: String, timestamp: Date? = nil) {
    self.key = key
    self.timestamp = timestamp
  }
}
