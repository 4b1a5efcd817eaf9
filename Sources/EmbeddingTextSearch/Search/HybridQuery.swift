public import EmbeddingStores

/// What to search for by meaning, by words, or by both, and among which rows.
///
/// Conditions hold for both sides before anything is counted, so fewer than `count` matches come back
/// only when fewer rows qualify. A side that is nil takes no part.
public struct HybridQuery: Sendable {
  /// What the vectors are compared with.
  public var target: Query.Target?
  /// The words to look for.
  public var words: WordQuery?
  /// How many matches to return at most, from 1 on.
  public var count: Int
  /// How many of the best matches to leave out first, for paging.
  public var offset: Int
  /// Rows must satisfy this to match on either side.
  public var filter: Filter
  /// How rows of one key share the result. With the best part per key, each side takes its own best
  /// part.
  public var grouping: Query.Grouping
  /// Rows whose vectors score less match by words alone.
  public var minimumVectorScore: Float?
  /// How the sides become one order.
  public var fusion: Fusion
  /// About how many characters of a record's text a match shows around the words that were found;
  /// nil for none. Costs reading the texts of the matches returned.
  public var snippetLength: Int?
  /// Rows must satisfy this, too, on either side. Asked about rows that would enter the result of a
  /// side, at most once for each; may be called from several threads at once.
  public var predicate: (@Sendable (Row) -> Bool)?

  /// Makes a query.
  public init(
    _ target: Query.Target? = nil, words: WordQuery? = nil, count: Int = 10, offset: Int = 0,
    filter: Filter = Filter(), grouping: Query.Grouping = .bestPartPerKey,
    minimumVectorScore: Float? = nil, fusion: Fusion = Fusion(), snippetLength: Int? = nil,
    where predicate: (@Sendable (Row) -> Bool)? = nil
  ) {
    self.target = target
    self.words = words
    self.count = count
    self.offset = offset
    self.filter = filter
    self.grouping = grouping
    self.minimumVectorScore = minimumVectorScore
    self.fusion = fusion
    self.snippetLength = snippetLength
    self.predicate = predicate
  }
}

/// How the matches by vector and those by words become one order.
public struct Fusion: Sendable, Equatable {
  /// What a match is worth on one side.
  public enum Method: Sendable, Equatable {
    /// 1 / (constant + rank), with ranks from 1 on. Says nothing about how good a match is, and is
    /// not misled by scores that can not be compared.
    case reciprocalRank(constant: Double = 60)
    /// The score, scaled so that the best match of the side has 1 and the last one that is considered
    /// has 0; 1 for all when all are equal.
    case scaledScore
  }

  /// What a match is worth on one side.
  public var method: Method
  /// What the vector side is multiplied by.
  public var vectorWeight: Double
  /// What the word side is multiplied by.
  public var wordWeight: Double
  /// How many of the best matches of each side are considered; at least those that are asked for.
  public var depth: Int

  /// Says how to fuse.
  public init(
    _ method: Method = .reciprocalRank(), vectorWeight: Double = 1, wordWeight: Double = 1,
    depth: Int = 200
  ) {
    self.method = method
    self.vectorWeight = vectorWeight
    self.wordWeight = wordWeight
    self.depth = depth
  }
}
