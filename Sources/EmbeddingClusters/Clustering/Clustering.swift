public import EmbeddingStores

/// The clusters of a snapshot.
public struct Clustering: Equatable, Sendable {
  /// The largest first. Ids of a fresh run count from 0 in this order.
  public let clusters: [Cluster]
  /// The sum over all rows of what their score falls short of their length: what k-means makes small.
  /// Half the sum of squared distances, where rows have length 1.
  public let inertia: Double
  /// Iterations of k-means on all rows; 0 when rows were assigned to existing centroids.
  public let iterationCount: Int
  /// Whether the last iteration changed nothing, so that more would not either.
  public let isConverged: Bool
  /// How the number of clusters was found, when it was not given.
  public let suggestion: CountSuggestion?
  /// The space of the centroids.
  public let space: EmbeddingSpace
  /// The newest change in the snapshot that was clustered.
  public let changeNumber: UInt64

  /// What to keep for assigning later rows; see `EmbeddingReader.clusters(assigningTo:)`.
  public var centroids: CentroidSet {
    let ordered = clusters.sorted { $0.id < $1.id }
    return CentroidSet(
      space: space, ids: ordered.map(\.id), centroids: ordered.map(\.centroid))
  }
}
