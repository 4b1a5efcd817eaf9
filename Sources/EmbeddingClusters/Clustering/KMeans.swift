internal import EmbeddingStores

/// Spherical k-means (Dhillon and Modha 2001): rows go to the centroid that scores highest, and a
/// centroid is the direction of the sum of its rows.
///
/// Every step is a function of the rows and the seed alone. Assignment is exact, by the score of a
/// search (`LiveRows.assignment`), and sums are the same in any order (`SummedAssignment`).
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
    var last: SummedAssignment?
    var iterationCount = 0
    var isConverged = false
    while iterationCount < maximumIterationCount, !isConverged {
      try cancellation.checkTask()
      var assignment = try rows.summedAssignment(
        to: centroids, after: last, cancellation: cancellation)
      iterationCount += 1
      let changed = last.map { last in
        zip(last.clusters, assignment.clusters).count { $0 != $1 }
      }
      isConverged = changed == 0
      if !isConverged {
        try fillEmpty(&assignment, centroids)
        move(&centroids, to: assignment.sums)
      }
      last = assignment
      onIteration(iterationCount, changed)
    }
    var result = try settled(centroids)
    result.iterationCount = iterationCount
    result.isConverged = isConverged
    return result
  }

  /// Moves each centroid to the direction of its rows' sum.
  private func move(_ centroids: inout [Float], to sums: [Double]) {
    for start in stride(from: 0, to: centroids.count, by: dimension) {
      let range = start..<start + dimension
      // Rows that cancel out have no direction; then the centroid stays.
      if let direction = Self.direction(sums[range]) {
        centroids.replaceSubrange(range, with: direction)
      }
    }
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
