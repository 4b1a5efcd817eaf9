/// What to search for, and among which rows.
public struct Query: Sendable {
  /// What the rows are compared with.
  public enum Target: Sendable {
    /// A vector of the store's space, of any length.
    case vector([Float])
    /// A vector that says its space, which must be the store's.
    case embedding(Embedding)
    /// The stored row of a key and part; its own key is left out of the matches.
    case key(String, part: UInt16 = 0)
  }

  /// How rows of one key share the result.
  public enum Grouping: Sendable {
    /// The best row of each key.
    case bestPartPerKey
    /// Every row on its own.
    case everyPart
  }

  /// What the rows are compared with.
  public var target: Target
  /// How many matches to return at most, from 1 on.
  public var count: Int
  /// How many of the best matches to leave out first, for paging.
  public var offset: Int
  /// Rows with a smaller score do not match.
  public var minimumScore: Float?
  /// Conditions that are cheaper than a closure: rows outside them are not even scored.
  public var filter: Filter
  /// How rows of one key share the result.
  public var grouping: Grouping
  /// Asked only about rows that would enter the result, and about each at most once, unless the search
  /// has to start again because it found compact codes damaged. May be called from several threads
  /// at once.
  public var predicate: (@Sendable (Row) -> Bool)?

  /// Makes a query.
  public init(
    _ target: Target, count: Int = 10, offset: Int = 0, minimumScore: Float? = nil,
    filter: Filter = Filter(), grouping: Grouping = .bestPartPerKey,
    where predicate: (@Sendable (Row) -> Bool)? = nil
  ) {
    self.target = target
    self.count = count
    self.offset = offset
    self.minimumScore = minimumScore
    self.filter = filter
    self.grouping = grouping
    self.predicate = predicate
  }
}
