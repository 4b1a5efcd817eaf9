public import EmbeddingStores

extension EncoderCheck {
  /// What is wrong with two encoders as a pair; empty when vectors of one can be compared with
  /// those of the other. Check each by itself too.
  ///
  /// That both name one space does not show that they share it: the wrong output of a model, or a
  /// projection that was left out, has the same dimension and means nothing. So what belongs
  /// together, such as photos and what they show, must find each other.
  ///
  /// - Parameters:
  ///   - matches: two or more items, each with a query that fits it better than it fits the others;
  ///     none to compare only the spaces.
  /// - Complexity: each item and query is encoded once, and each query is compared with each item.
  public func problems<Item: EmbeddingEncoder, Query: EmbeddingEncoder>(
    ofPair item: Item, _ query: Query, matches: [(item: Item.Input, query: Query.Input)] = []
  ) async -> [EncoderProblem] {
    do throws(StoreError) {
      _ = try EncoderPair(item: item, query: query)
    } catch {
      return [
        EncoderProblem(.spacesDiffer, "\(error.message) Use two encoders of one model.")
      ]
    }
    if matches.isEmpty { return [] }
    if matches.count == 1 {
      return [EncoderProblem(.tooFewSamples, "There is one match. Give two or more.")]
    }
    var items = EncoderExamination(item, samples: matches.map(\.item), tolerance: tolerance)
    var queries = EncoderExamination(query, samples: matches.map(\.query), tolerance: tolerance)
    let itemVectors = await items.vectorsOfAll("item")
    let queryVectors = await queries.vectorsOfAll("query")
    guard let itemVectors, let queryVectors else { return items.problems + queries.problems }
    return queryVectors.enumerated().compactMap { index, query in
      let scores = itemVectors.map { items.comparison.score(query, $0) }
      let better = scores.indices.first { $0 != index && !(scores[$0] < scores[index]) }
      return better.map { better in
        EncoderProblem(
          .matchNotClosest, at: index,
          "The query scores \(scores[index]) with its own item and \(scores[better]) with item "
            + "\(better). See that both encoders give the projected output of one model.")
      }
    }
  }
}

extension EncoderExamination {
  /// The vectors of all samples; nil after reporting what a store would not take, as of `role`.
  fileprivate mutating func vectorsOfAll(_ role: String) async -> [[Float]]? {
    let vectors = await vectors(of: samples)
    for (index, vector) in (vectors ?? []).enumerated() {
      if let defect = defect(of: vector) { report(defect.kind, at: index, defect.message) }
    }
    for index in problems.indices {
      problems[index].message = "The \(role)'s encoder: \(problems[index].message)"
    }
    return problems.isEmpty ? vectors : nil
  }
}
