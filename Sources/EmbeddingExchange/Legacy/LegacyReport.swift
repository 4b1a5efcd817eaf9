public import EmbeddingStores

/// What an import of legacy files took, what it left, and why.
public struct LegacyReport: Equatable, Sendable {
  /// A record that was found whole and not imported.
  public struct Leftover: Equatable, Sendable {
    /// Its key; repaired when it is not UTF-8.
    public let key: String
    /// Why it was left.
    public let reason: Reason
  }

  /// Why a record was left.
  public enum Reason: Equatable, Sendable {
    /// It was removed.
    case removed
    /// It may have been removed: keys with line breaks, and writes that were cut short, make the list of
    /// removed keys ambiguous. What was removed must not come back, so it was left.
    case removalUncertain
    /// A store refuses it; a zero vector, for one, stands for an item that could not be encoded.
    case refused(StoreError)
  }

  /// Bytes that are no record, or a header that does not hold.
  public struct Damage: Equatable, Sendable {
    /// The file.
    public let path: String
    /// Where in the file.
    public let bytes: Range<Int>
    /// What is wrong there.
    public let description: String
  }

  /// Records that were stored.
  public internal(set) var importedCount = 0
  /// Records that were left, in the order of their keys' bytes.
  public internal(set) var leftovers: [Leftover] = []
  /// Damage that was found, and passed over.
  public internal(set) var damages: [Damage] = []

  /// Whether every byte was accounted for, and every record that was not removed was taken.
  public var isComplete: Bool {
    damages.isEmpty && leftovers.allSatisfy { $0.reason == .removed }
  }
}
