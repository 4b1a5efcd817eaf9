internal import EmbeddingStores
internal import EmbeddingTestSupport

/// A few searches of a store that holds all items in one space, and what they must find.
struct SpaceSearches: Sendable {
  let space: EmbeddingSpace
  private let rowCount: Int
  private let queries: [[Float]]
  private let expected: [[StoreModel.Scored]]

  private static let matchCount = 10

  init(_ items: [ScriptedItem], in space: EmbeddingSpace, using generator: inout SeededGenerator) {
    var model = StoreModel()
    for item in items { for record in item.records(in: space) { model.put(record) } }
    let queries = (0..<6).map { _ in
      RandomVectors.integers(dimension: space.dimension, using: &generator)
    }
    self.space = space
    self.queries = queries
    rowCount = model.count
    expected = queries.map { Array(model.ranking(for: $0).prefix(Self.matchCount)) }
  }

  /// What one of the searches misses or should not find, if anything.
  func problem(_ number: Int, in snapshot: Snapshot) throws -> String? {
    guard snapshot.count == rowCount else {
      return "\(snapshot.count) of \(rowCount) rows in \(space.model)"
    }
    let number = number % queries.count
    let matches = try snapshot.search(
      Query(.vector(queries[number]), count: Self.matchCount, grouping: .everyPart))
    let isEqual = matches.elementsEqual(expected[number]) { match, scored in
      StoreModel.Identity(match.key, match.part) == scored.identity
        && Double(match.score) == scored.score
    }
    return isEqual ? nil : "query \(number) finds \(matches) in \(space.model)"
  }

  func problem(in snapshot: Snapshot) throws -> String? {
    for number in queries.indices {
      if let problem = try problem(number, in: snapshot) { return problem }
    }
    return nil
  }
}
