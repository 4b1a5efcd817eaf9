/// How a number of clusters was suggested.
///
/// For some numbers within the bounds, each about 1.4 times the one before, a sample of at most 8,192
/// rows was clustered, and the one with the best silhouette was taken, the smallest among equals.
public struct CountSuggestion: Equatable, Sendable {
  /// A number that was tried.
  public struct Candidate: Equatable, Sendable {
    /// The number of clusters.
    public let count: Int
    /// The simplified silhouette (Hruschka and others 2004, after Rousseeuw 1987): the mean of
    /// (b - a) / max(a, b) over the rows, where a is the distance to the own centroid and b that to
    /// the next one, a distance being 1 - score. From -1 to 1; larger means better separated.
    public let silhouette: Double
  }

  /// The number suggested.
  public let count: Int
  /// All that were tried, ascending.
  public let candidates: [Candidate]
  /// Rows in the sample.
  public let sampleCount: Int
}
