internal import EmbeddingFiles
public import Foundation

/// A fingerprint of an item's content: another one means that the content changed, so that its
/// vector must be made anew.
///
/// It has 64 bits. Two different contents of one item that are hashed share one with a probability of
/// about 5e-20.
public struct Revision: Hashable, Sendable {
  /// The fingerprint, never 0.
  public let rawValue: UInt64

  /// Takes a fingerprint that the app computed; nil for 0, which files hold for "none".
  public init?(rawValue: UInt64) {
    guard rawValue != RecordDetails.noRevision else { return nil }
    self.rawValue = rawValue
  }

  /// The fingerprint of a version string, such as an entity tag or a content hash.
  public init(_ version: String) {
    self.init(folding: KeyHash.hash(version))
  }

  /// The fingerprint of a modification date.
  public init(_ modified: Date) {
    self.init(folding: modified.timeIntervalSinceReferenceDate.bitPattern)
  }

  private init(folding value: UInt64) {
    rawValue = value == RecordDetails.noRevision ? 1 : value
  }
}
