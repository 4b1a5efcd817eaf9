internal import EmbeddingStores

extension KMeans {
  /// Gives each empty cluster the row that is worst off in its own.
  func fillEmpty(
    _ assignment: inout SummedAssignment, _ centroids: [Float]
  ) throws(StoreError) {
    let empty = emptyClusters(assignment.clusters, count: centroids.count / dimension)
    if empty.isEmpty { return }
    let scored = try rows.assignment(to: centroids, scoring: true, cancellation: cancellation)
    for (position, cluster) in zip(try worstPlaced(scored, empty.count), empty) {
      try rows.move(position, to: cluster, in: &assignment)
    }
  }

  private func emptyClusters(_ clusters: [UInt32], count: Int) -> [UInt32] {
    var isEmpty = [Bool](repeating: true, count: count)
    for cluster in clusters { isEmpty[Int(cluster)] = false }
    return isEmpty.indices.filter { isEmpty[$0] }.map { UInt32(truncatingIfNeeded: $0) }
  }

  /// Assigns all rows to centroids for good, so that no cluster is empty.
  ///
  /// The centroid of an empty cluster becomes the row that is worst off. When every row is as good as
  /// in its centroid's direction, or a few rounds did not help, empty clusters are dropped.
  func settled(_ centroids: [Float]) throws(StoreError) -> Outcome {
    var centroids = centroids
    var assignment = try rows.assignment(
      to: centroids, scoring: true, cancellation: cancellation)
    for _ in 0..<Self.repairRounds {
      let empty = emptyClusters(assignment.clusters, count: centroids.count / dimension)
      if empty.isEmpty { break }
      let worst = try worstPlaced(assignment, empty.count)
      if worst.isEmpty { break }
      let sample = try RowSample(rows.at(worst))
      for (index, cluster) in zip(worst.indices, empty) {
        let vector = Self.direction(sample.vector(at: index).lazy.map(Double.init))
        let start = Int(cluster) * dimension
        centroids.replaceSubrange(
          start..<start + dimension,
          with: vector ?? sample.vector(at: index))
      }
      assignment = try rows.assignment(to: centroids, scoring: true, cancellation: cancellation)
    }
    dropEmpty(&centroids, &assignment)
    return Outcome(
      centroids: centroids, assignment: assignment, iterationCount: 0, isConverged: false)
  }

  private static let repairRounds = 8

  /// Positions of at most `count` rows with the largest gap, of different directions from their
  /// centroids', none of them alone in its cluster.
  private func worstPlaced(_ assignment: Assignment, _ count: Int) throws(StoreError) -> [Int] {
    let lengths = try rows.lengths()
    var sizes: [UInt32: Int] = [:]
    for cluster in assignment.clusters { sizes[cluster, default: 0] += 1 }
    let gaps = assignment.scores.indices.map {
      Self.gap(Double(assignment.scores[$0]), length: lengths[$0])
    }
    let order = gaps.indices.filter { gaps[$0] > 0 }.sorted {
      gaps[$0] != gaps[$1] ? gaps[$0] > gaps[$1] : $0 < $1
    }
    var worst: [Int] = []
    for position in order where worst.count < count {
      let cluster = assignment.clusters[position]
      guard let size = sizes[cluster], size > 1 else { continue }
      sizes[cluster] = size - 1
      worst.append(position)
    }
    return worst
  }

  private func dropEmpty(_ centroids: inout [Float], _ assignment: inout Assignment) {
    let count = centroids.count / dimension
    let groups = Self.groups(assignment.clusters, count: count)
    guard groups.contains(where: \.isEmpty) else { return }
    var kept: [Float] = []
    var numbers = [UInt32](repeating: 0, count: count)
    for cluster in groups.indices where !groups[cluster].isEmpty {
      numbers[cluster] = UInt32(kept.count / dimension)
      kept += centroids[cluster * dimension..<(cluster + 1) * dimension]
    }
    centroids = kept
    assignment.clusters = assignment.clusters.map { numbers[Int($0)] }
  }
}
