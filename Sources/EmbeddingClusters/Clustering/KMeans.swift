internal import EmbeddingStores

/// Spherical k-means (Dhillon and Modha 2001): rows go to the centroid that scores highest, and a
/// centroid is the direction of the sum of its rows.
///
/// Every step is a function of the rows and the seed alone. Assignment is exact, by the score of a
/// search (`LiveRows.assignment`), and sums are taken in a fixed order in Float64.
struct KMeans {
  /// What a run ends with: no cluster is empty.
  struct Outcome {
    var centroids: [Float]
    var assignment: Assignment
    var iterationCount: Int
    var isConverged: Bool
  }

  let rows: LiveRows
  let maximumIterationCount: Int
  let cancellation: WorkCancellation
  /// Called after each iteration with the rows that changed their cluster.
  let onIteration: (_ iteration: Int, _ changedRowCount: Int?) -> Void

  var dimension: Int { rows.dimension }

  /// Clusters all rows, of which there is at least one, into `count` clusters or, if rows of different
  /// directions are fewer, into as many as these.
  func run(count: Int, seed: UInt64) throws(StoreError) -> Outcome {
    var generator = SplitMix(seed: seed)
    var centroids = try seeds(min(count, rows.count), using: &generator)
    var last: [UInt32]?
    var iterationCount = 0
    var isConverged = false
    while iterationCount < maximumIterationCount, !isConverged {
      try cancellation.checkTask()
      let assignment = try rows.assignment(
        to: centroids, scoring: false, cancellation: cancellation)
      iterationCount += 1
      let changed = last.map { last in
        zip(last, assignment.clusters).count { $0 != $1 }
      }
      isConverged = changed == 0
      last = assignment.clusters
      if !isConverged {
        centroids = try moved(centroids, assignment)
      }
      onIteration(iterationCount, changed)
    }
    var result = try settled(centroids)
    result.iterationCount = iterationCount
    result.isConverged = isConverged
    return result
  }

  /// The centroids of an assignment's clusters.
  private func moved(
    _ centroids: [Float], _ assignment: Assignment
  ) throws(StoreError) -> [Float] {
    var groups = Self.groups(assignment.clusters, count: centroids.count / dimension)
    if groups.contains(where: \.isEmpty) { try fillEmpty(&groups, centroids) }
    let sums = try rows.sums(of: groups, cancellation: cancellation)
    var centroids = centroids
    for cluster in groups.indices {
      let range = cluster * dimension..<(cluster + 1) * dimension
      // Rows that cancel out have no direction; then the centroid stays.
      if let direction = Self.direction(sums[range]) {
        centroids.replaceSubrange(range, with: direction)
      }
    }
    return centroids
  }

  /// The positions of each cluster's rows, ascending.
  static func groups(_ clusters: [UInt32], count: Int) -> [[Int]] {
    var sizes = [Int](repeating: 0, count: count)
    for cluster in clusters { sizes[Int(cluster)] += 1 }
    var groups: [[Int]] = sizes.map { size in
      var group: [Int] = []
      group.reserveCapacity(size)
      return group
    }
    for (position, cluster) in clusters.enumerated() { groups[Int(cluster)].append(position) }
    return groups
  }

  /// A vector scaled to length 1; nil when it is too short to have a direction.
  static func direction(_ vector: some Sequence<Double>) -> [Float]? {
    let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
    guard length >= 1e-6 else { return nil }
    return vector.map { Float($0 / length) }
  }
}
