public import EmbeddingStores
public import Foundation

/// An item that could not be indexed, and why.
public struct IndexingFailure: Equatable, Sendable {
  /// What is to become of the item.
  public enum Kind: String, Sendable {
    /// Its content was not on this device: it is worth another try without having changed.
    case unavailable
    /// It could not be loaded or encoded: another try is worth it when it, or the space, changes.
    case broken
  }

  /// The item's key.
  public var key: String
  /// What is to become of it.
  public var kind: Kind
  /// What went wrong, for people.
  public var reason: String
  /// How often it was tried in this state, at least 1.
  public var attemptCount: Int
  /// When it was tried last, by the device's calendar clock.
  public var lastAttempt: Date
  /// The revision that was tried.
  public var revision: Revision?
  /// The space it was tried for.
  public var space: EmbeddingSpace

  /// Describes a failure.
  public init(
    key: String, kind: Kind, reason: String, attemptCount: Int = 1, lastAttempt: Date,
    revision: Revision?, space: EmbeddingSpace
  ) {
    self.key = key
    self.kind = kind
    self.reason = reason
    self.attemptCount = attemptCount
    self.lastAttempt = lastAttempt
    self.revision = revision
    self.space = space
  }

  /// Whether another try of the same item, with this revision and space, would be the same try.
  func isAbout(_ revision: Revision?, in space: EmbeddingSpace) -> Bool {
    self.revision == revision && self.space == space
  }
}
