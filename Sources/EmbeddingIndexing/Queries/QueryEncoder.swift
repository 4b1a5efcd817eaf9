public import EmbeddingStores

/// A text encoder with a rewriter before it: several phrasings of a query become one vector.
///
/// The vector of each phrasing is scaled to length 1, so that none weighs more than another; they
/// are averaged in Float64, and the mean is scaled to length 1. That is so with one phrasing too,
/// and in a space without normalisation, where scores then are relative to a query of length 1.
///
/// It is an encoder of the same space, so it takes the text encoder's place in an `EncoderPair`.
public struct QueryEncoder<Text: EmbeddingEncoder<String>>: EmbeddingEncoder {
  /// Encodes the phrasings.
  public let text: Text
  /// Gives the phrasings.
  public let rewriter: any QueryRewriter

  /// Puts `rewriter` before `text`.
  public init(_ text: Text, rewriter: any QueryRewriter) {
    self.text = text
    self.rewriter = rewriter
  }

  /// The space of the text encoder.
  public var space: EmbeddingSpace { text.space }

  /// One vector of length 1 for each query.
  ///
  /// Queries are rewritten one after the other; the text encoder is called once, with the phrasings
  /// of all, unless there are no queries. Of equal phrasings of a query one counts, and blank ones
  /// do not; spaces around a phrasing are left out.
  ///
  /// - Throws: `StoreError` with `.invalidArgument` for a blank query, `.noPhrasing` when the
  ///   rewriter gave none, `.notFinite` or `.zeroVector` when a phrasing's vector has no direction,
  ///   `.zeroVector` when the vectors cancel out, `.encoderFailed`; what the rewriter and the text
  ///   encoder throw.
  public func encode(_ inputs: [String]) async throws -> [[Float]] {
    var phrasings: [String] = []
    var ranges: [Range<Int>] = []
    for query in inputs {
      let start = phrasings.count
      phrasings += try await distinctPhrasings(of: query)
      ranges.append(start..<phrasings.count)
    }
    if phrasings.isEmpty { return [] }
    let embeddings = try await text.embeddings(of: phrasings)
    return try zip(inputs, ranges).map { query, range in
      var mean = MeanDirection(dimension: space.dimension)
      for (phrasing, embedding) in zip(phrasings[range], embeddings[range]) {
        try mean.add(embedding.vector, of: phrasing)
      }
      return try mean.vector(of: query)
    }
  }

  private func distinctPhrasings(of query: String) async throws -> [String] {
    guard !query.allSatisfy(\.isWhitespace) else {
      throw StoreError(
        .invalidArgument, "The query is blank. Search only when something was typed.")
    }
    var seen: Set<String> = []
    let phrasings = try await rewriter.phrasings(of: query).map(\.trimmed)
      .filter { !$0.isEmpty && seen.insert($0).inserted }
    guard !phrasings.isEmpty else {
      throw StoreError(
        .noPhrasing,
        "The rewriter gave no words for the query \"\(query.prefix(40))\". Let it give the query "
          + "itself when it has nothing better.")
    }
    return phrasings
  }
}
