internal import EmbeddingFiles
public import Foundation

/// Conditions on rows that are decided before any row is scored; all of them must hold.
public struct Filter: Sendable {
  /// A condition on a record's labels. Labels that Swift calls equal are the same label.
  public enum LabelCondition: Sendable {
    /// At least one of these.
    case any(Set<String>)
    /// All of these.
    case all(Set<String>)
    /// None of these.
    case none(Set<String>)
  }

  /// Only rows with a timestamp in this range, whose bounds are rounded to milliseconds as
  /// timestamps are. Costs 8 bytes read per row.
  public var timestamps: Range<Date>?
  /// Conditions that must all hold. Each reads the labels of all rows once.
  public var labels: [LabelCondition]
  /// Only rows of these keys. Costs one look-up per key.
  public var keys: [String]?

  /// Makes a filter; without arguments every row passes.
  public init(
    timestamps: Range<Date>? = nil, labels: [LabelCondition] = [], keys: [String]? = nil
  ) {
    self.timestamps = timestamps
    self.labels = labels
    self.keys = keys
  }
}
