internal import EmbeddingStores
internal import EmbeddingTestSupport

extension OracleHistory {
  /// Every row that a query may find, best first; nil where the row to search from is missing.
  func ranking(_ query: OracleQuery, _ model: StoreModel) -> [StoreModel.Scored]? {
    let vector: [Float]
    var length = 1.0
    switch query.query.target {
    case .vector(let components):
      vector = components
      length = queryLength(components)
    case .embedding(let embedding):
      vector = embedding.vector
      length = queryLength(embedding.vector)
    case .key(let key, let part):
      guard let record = model[key, part] else { return nil }
      vector = record.vector
    }
    let ranking = model.ranking(for: vector, where: query.admits)
    guard world.space.normalization == .unitLength else { return ranking }
    return ranking.map { scored in
      StoreModel.Scored(
        identity: scored.identity, score: min(max(scored.score / length, -1), 1))
    }
  }

  private func queryLength(_ vector: [Float]) -> Double {
    world.space.normalization == .unitLength ? StoreModel.dot(vector, vector).squareRoot() : 1
  }

  /// How far a score computed in Float32 may be from the exact one: a millionth of what the product
  /// of the two lengths is at most.
  private var tolerance: Double {
    if world.isExact { return 0 }
    let dimension = Double(world.space.dimension)
    return world.space.normalization == .unitLength ? 1e-6 : 1e-6 * dimension
  }

  func check(
    _ matches: [Match], _ query: OracleQuery, _ ranking: [StoreModel.Scored]
  ) throws {
    let tolerance = tolerance
    let minimum = query.query.minimumScore.map(Double.init) ?? -.infinity
    // Rows whose score is as good as the minimum may be found or not.
    let possible = grouped(ranking.filter { $0.score >= minimum - tolerance }, query)
    let certain = grouped(ranking.filter { $0.score >= minimum + tolerance }, query)
    let counts = [certain, possible].map { rows in
      min(query.query.count, max(0, rows.count - query.query.offset))
    }
    try claim(
      (counts[0]...counts[1]).contains(matches.count), "\(matches.count) matches, not \(counts)")
    let identities = matches.map { StoreModel.Identity($0.key, $0.part) }
    let expected = possible.dropFirst(query.query.offset).prefix(matches.count)
    if tolerance == 0 {
      let isEqual = matches.elementsEqual(expected) { match, scored in
        StoreModel.Identity(match.key, match.part) == scored.identity
          && Double(match.score) == scored.score
      }
      return try claim(isEqual, "\(matches) instead of \(Array(expected))")
    }
    let scores = Dictionary(uniqueKeysWithValues: ranking.map { ($0.identity, $0.score) })
    for (number, scored) in expected.enumerated() {
      guard let score = scores[identities[number]] else {
        throw FaultFinding("\(matches[number]) should not match")
      }
      try claim(
        abs(score - Double(matches[number].score)) <= tolerance
          && abs(score - scored.score) <= 2 * tolerance,
        "\(matches[number]) of score \(score) instead of \(scored)")
    }
    let isGrouped = query.query.grouping == .bestPartPerKey
    let distinct = isGrouped ? Set(identities.map(\.key)).count : Set(identities).count
    try claim(distinct == matches.count, "a match is there twice: \(matches)")
    for index in identities.indices.dropFirst() {
      let (before, after) = (matches[index - 1].score, matches[index].score)
      try claim(
        before > after || (before == after && identities[index - 1] < identities[index]),
        "out of order at \(index): \(matches)")
    }
  }

  private func grouped(
    _ ranking: [StoreModel.Scored], _ query: OracleQuery
  ) -> [StoreModel.Scored] {
    query.query.grouping == .bestPartPerKey ? StoreModel.bestPerKey(ranking) : ranking
  }
}
