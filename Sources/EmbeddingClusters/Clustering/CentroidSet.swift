public import EmbeddingStores

/// The centroids of a run and their ids: what to keep so that later rows join the same clusters.
///
/// Encoding takes the components as they are, so that a decoded set assigns every row as before.
public struct CentroidSet: Codable, Equatable, Sendable {
  /// The space that they belong to.
  public let space: EmbeddingSpace
  /// The id of each cluster.
  public let ids: [Int]
  /// The centroid of each cluster, in the order of `ids`.
  public let centroids: [[Float]]
}
