/// Puts a query into words that the text encoder knows, before it is encoded.
///
/// A `PhraseTable` is one; others may translate, correct spelling or ask a language model.
public protocol QueryRewriter: Sendable {
  /// One or more ways to say the query, of which a `QueryEncoder` averages the vectors.
  ///
  /// A query that needs no rewriting is its only phrasing. Called once for each query, and for
  /// several at once when several searches run. What it throws, the search throws.
  func phrasings(of query: String) async throws -> [String]
}
