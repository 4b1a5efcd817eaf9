internal import EmbeddingStores
internal import EmbeddingTestSupport

extension StoreModel {
  /// Says how `reader` differs from this model; nil when every record, every look-up and a search
  /// agree.
  ///
  /// Components must be small multiples of a half in a space without normalisation, so that all are exact.
  func difference(from reader: some EmbeddingReader) throws(StoreError) -> String? {
    let count = try reader.count()
    guard count == self.count else { return "\(count) records instead of \(self.count)" }
    let keys = try reader.keys()
    let byKey = recordsByKey()
    guard keys.count == byKey.count else { return "\(keys.count) keys instead of \(byKey.count)" }
    for key in keys {
      guard try reader.records(for: key) == byKey[Array(key.utf8), default: []] else {
        return "another record under \(key)"
      }
    }
    return try searchDifference(from: reader)
  }

  /// The same where reading must not fail.
  func disagreement(with reader: some EmbeddingReader) -> String? {
    do throws(StoreError) {
      return try difference(from: reader)
    } catch {
      return "reading failed: \(error)"
    }
  }

  private func searchDifference(
    from reader: some EmbeddingReader
  ) throws(StoreError) -> String? {
    let query = (0..<reader.space.dimension).map { Float($0 % 5 - 2) }
    let matches = try reader.search(Query(.vector(query), count: .max, grouping: .everyPart))
    let expected = ranking(for: query)
    let isEqual = matches.elementsEqual(expected) { match, scored in
      Identity(match.key, match.part) == scored.identity && Double(match.score) == scored.score
    }
    return isEqual ? nil : "a search finds something else"
  }
}
