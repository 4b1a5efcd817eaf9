/// Rows that are closer to one centroid than to any other.
public struct Cluster: Identifiable, Equatable, Sendable {
  /// A row of a cluster.
  public struct Member: Equatable, Sendable {
    /// Which row.
    public let row: RowIdentity
    /// The row's score with the centroid: larger is closer.
    public let score: Float
  }

  /// Stays the same when rows are assigned to the centroids of an earlier run.
  public let id: Int
  /// The direction of the sum of its rows, scaled to length 1.
  public let centroid: [Float]
  /// All members, those closest to the centroid first, then by key bytes and part.
  public let members: [Member]
  /// The mean score of its members with the centroid; 0 without members.
  public let cohesion: Double

  /// The member nearest the centroid; nil only without members, which can be when rows were assigned
  /// to the centroids of an earlier run.
  public var cover: RowIdentity? { members.first?.row }

  init(id: Int, centroid: [Float], members: [Member]) {
    self.id = id
    self.centroid = centroid
    self.members = members.sorted {
      $0.score != $1.score ? $0.score > $1.score : $0.row < $1.row
    }
    let sum = self.members.reduce(0.0) { $0 + Double($1.score) }
    cohesion = members.isEmpty ? 0 : sum / Double(members.count)
  }
}
