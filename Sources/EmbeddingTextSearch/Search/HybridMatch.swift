internal import EmbeddingStores

/// A row, or a key with its best parts, that a search found by its vector, by words, or by both.
public struct HybridMatch: Sendable, Equatable {
  /// Where a match was on one side.
  public struct Placement: Sendable, Equatable {
    /// 1 for the best one.
    public let rank: Int
    /// The cosine or inner product; or the BM25 score, which is larger the better the words match and
    /// can be compared within one search only.
    public let score: Double
    /// Which part of the item it is.
    public let part: UInt16
  }

  /// The record's key.
  public let key: String
  /// The part that the words were found in, or else the one whose vector is closest.
  public let part: UInt16
  /// What the order goes by: larger is better. Its scale is that of the fusion.
  public let score: Double
  /// Where it was among the matches by vector; nil when it was not among those considered.
  public let vector: Placement?
  /// Where it was among the matches by words; nil when it was not among those considered.
  public let words: Placement?
  /// The words in their context, when the query asked for that and they are in the text; nil when
  /// they are in labels alone.
  public package(set) var snippet: Snippet?
}

/// A passage of a text with the words that were searched for.
public struct Snippet: Sendable, Equatable {
  /// The passage, as it is in the text.
  public let text: String
  /// Where the words are in `text`, in order.
  public let ranges: [Range<String.Index>]
  /// Whether the text has more before and after the passage.
  public let isCut: (before: Bool, after: Bool)

  /// Whether passages and ranges are the same.
  public static func == (first: Snippet, second: Snippet) -> Bool {
    first.text.utf8.elementsEqual(second.text.utf8) && first.ranges == second.ranges
      && first.isCut == second.isCut
  }
}
