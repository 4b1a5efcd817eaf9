import EmbeddingClusters
import Foundation
import Synchronization

/// Compares a clustering with the rows in double precision, without any of the library's code.
struct ClusteringCheck {
  let data: DataSet
  let checks: Checks

  /// Every row is in one cluster, the objective is that of the clusters, and a sample of rows could
  /// not be in a better one.
  func check(_ clustering: Clustering) throws {
    var clusters = [Int?](repeating: nil, count: data.rowCount)
    for (number, cluster) in clustering.clusters.enumerated() {
      checks.expect(!cluster.members.isEmpty, "cluster \(cluster.id) is empty")
      for member in cluster.members {
        guard let row = data.rowsByKey[member.row.key], clusters[row] == nil else {
          throw BenchError("\(member.row.key) is in no row, or in two clusters.")
        }
        clusters[row] = number
      }
    }
    let assigned = clusters.compactMap { $0 }
    checks.expect(
      assigned.count == data.rowCount,
      "\(assigned.count) of \(data.rowCount) rows are in a cluster")
    guard assigned.count == data.rowCount else { return }
    let centroids = clustering.clusters.map { $0.centroid.map(Double.init) }
    let objective = objective(assigned, centroids)
    checks.expect(
      abs(clustering.inertia - objective) <= 1e-6 * Double(data.rowCount),
      "the objective is \(clustering.inertia), in double precision \(objective)")
    for row in stride(from: 0, to: data.rowCount, by: max(1, data.rowCount / 1_000)) {
      let vector = data.vector(of: row).map(Double.init)
      let scores = centroids.map { Self.dot($0, vector) }
      let best = scores.max() ?? 0
      checks.expect(
        scores[assigned[row]] >= best - 1e-6,
        "row \(row) scores \(scores[assigned[row]]) with its centroid, \(best) with another")
    }
  }

  private func objective(_ clusters: [Int], _ centroids: [[Double]]) -> Double {
    clusters.enumerated().reduce(0) { sum, assigned in
      let vector = data.vector(of: assigned.offset).map(Double.init)
      return sum + Self.dot(vector, vector).squareRoot()
        - Self.dot(vector, centroids[assigned.element])
    }
  }

  private static func dot(_ first: [Double], _ second: [Double]) -> Double {
    var sum = 0.0
    for index in first.indices { sum += first[index] * second[index] }
    return sum
  }
}
