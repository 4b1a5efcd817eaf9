internal import EmbeddingStores

extension ClusteringRun {
  /// Tries numbers within the bounds on a sample; see `CountSuggestion`.
  func suggestedCount(
    _ rows: LiveRows, _ bounds: ClosedRange<Int>
  ) throws(StoreError) -> CountSuggestion {
    var generator = SplitMix(seed: options.seed)
    let sample = rows.at(
      generator.sample(min(rows.count, Self.sampleRowCount), below: rows.count))
    var candidates: [CountSuggestion.Candidate] = []
    for count in Self.ladder(bounds, rowCount: sample.count) {
      let kMeans = KMeans(
        rows: sample, maximumIterationCount: min(options.maximumIterationCount, 10),
        cancellation: cancellation, onIteration: { _, _ in })
      let result = try kMeans.run(count: count, seed: options.seed)
      candidates.append(
        .init(
          count: count,
          silhouette: try sample.simplifiedSilhouette(
            result.centroids, cancellation: cancellation)))
    }
    let best = candidates.max {
      $0.silhouette != $1.silhouette ? $0.silhouette < $1.silhouette : $0.count > $1.count
    }
    return CountSuggestion(
      count: best?.count ?? bounds.lowerBound, candidates: candidates, sampleCount: sample.count)
  }

  private static let sampleRowCount = 8_192

  /// Both bounds and numbers between, each about 1.4 times the one before; none above the rows unless
  /// the lower bound is, none so large that a cluster of the sample had fewer than 4 rows.
  static func ladder(_ bounds: ClosedRange<Int>, rowCount: Int) -> [Int] {
    let upper = max(bounds.lowerBound, min(bounds.upperBound, rowCount / 4))
    var ladder = [bounds.lowerBound]
    while let last = ladder.last, last < upper {
      ladder.append(min(upper, max(last + 1, Int((Double(last) * 2.0.squareRoot()).rounded()))))
    }
    return ladder
  }
}
