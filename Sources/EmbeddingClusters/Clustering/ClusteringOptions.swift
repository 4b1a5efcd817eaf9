/// How to cluster.
public struct ClusteringOptions: Sendable {
  /// How many clusters.
  public enum Count: Equatable, Sendable {
    /// This many, or as many as there are rows of different directions if these are fewer.
    case exactly(Int)
    /// What suits the data best among some numbers within the bounds; see `CountSuggestion`.
    case suggested(ClosedRange<Int>)
  }

  /// How many clusters.
  public var count: Count
  /// Where the choice of the first centroids starts. The same seed, options and snapshot give the same
  /// clusters, on any number of threads.
  public var seed: UInt64
  /// The most iterations of k-means, from 1 on; it ends earlier when nothing changes.
  public var maximumIterationCount: Int

  /// Makes options.
  public init(count: Count, seed: UInt64 = 0, maximumIterationCount: Int = 25) {
    self.count = count
    self.seed = seed
    self.maximumIterationCount = maximumIterationCount
  }
}
