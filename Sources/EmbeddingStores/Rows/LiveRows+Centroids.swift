internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Synchronization

/// Which centroid each row is nearest to.
package struct Assignment: Sendable {
  /// By position.
  package var clusters: [UInt32]
  /// The scores with those centroids, by position; empty when nobody asked for them.
  package var scores: [Float]
}

/// Which centroid each row is nearest to, and what the rows of each add up to.
package struct SummedAssignment: Sendable {
  /// By position.
  package fileprivate(set) var clusters: [UInt32]
  fileprivate var clusterSums: ClusterSums

  /// The sum of each cluster's rows, one after the other; the same to the bit whatever the threads.
  package var sums: [Double] { clusterSums.components }
}

extension LiveRows {
  /// Assigns each row to the centroid that scores highest with it, the first among equals.
  ///
  /// `centroids` are whole vectors one after the other. The scores are those of a search, not
  /// clamped. One matrix product; memory of 4 bytes a row, another 4 when `scoring`, and for each
  /// thread 2 KiB a centroid.
  package func assignment(
    to centroids: [Float], scoring: Bool, cancellation: WorkCancellation
  ) throws(StoreError) -> Assignment {
    try assign(to: centroids, scoring: scoring, cancellation, after: nil, sums: nil).0
  }

  /// The same without scores, with the sums of the clusters: only rows that are not in the cluster
  /// of `last` are added and taken away. For each thread 8 bytes of memory a component of the
  /// centroids.
  package func summedAssignment(
    to centroids: [Float], after last: SummedAssignment?, cancellation: WorkCancellation
  ) throws(StoreError) -> SummedAssignment {
    let sums =
      last?.clusterSums
      ?? ClusterSums(
        clusterCount: centroids.count / dimension, dimension: dimension, rowCount: count,
        rowLength: maximumLength)
    let (assignment, changed) = try assign(
      to: centroids, scoring: false, cancellation, after: last?.clusters, sums: sums)
    return SummedAssignment(clusters: assignment.clusters, clusterSums: changed ?? sums)
  }

  /// Puts the row at a position into another cluster.
  package func move(
    _ position: Int, to cluster: UInt32, in assignment: inout SummedAssignment
  ) throws(StoreError) {
    let block = RowBlock(dimension: dimension, capacity: 1)
    try translatingErrors { () throws(StorageError) in
      try read(CollectionOfOne(position), into: block)
    }
    assignment.clusterSums.remove(block, 0, from: Int(assignment.clusters[position]))
    assignment.clusterSums.add(block, 0, to: Int(cluster))
    assignment.clusters[position] = cluster
  }

  private func assign(
    to centroids: [Float], scoring: Bool, _ cancellation: WorkCancellation,
    after last: [UInt32]?, sums: ClusterSums?
  ) throws(StoreError) -> (Assignment, ClusterSums?) {
    let matrix = VectorMatrix(centroids, dimension: dimension)
    let found = Mutex(
      Assignment(
        clusters: [UInt32](repeating: 0, count: count),
        scores: scoring ? [Float](repeating: 0, count: count) : []))
    let merged = Mutex(sums)
    try translatingErrors { () throws(StorageError) in
      try SharedWork.forEachPiece(
        of: blockCount, threadCount: threadCount, cancellation: cancellation,
        makeState: {
          (
            RowBlock(dimension: dimension, capacity: Self.blockRowCount),
            NearestVectors(
              matrix, rowCapacity: Self.blockRowCount, rowLength: maximumLength),
            sums?.empty
          )
        },
        finish: { state in
          // Sums are exact, so it does not matter who is first.
          if let sums = state.2 { merged.withLock { $0?.merge(sums) } }
        }
      ) { (piece, state) throws(StorageError) in
        let positions = block(piece)
        try read(positions, into: state.0)
        var clusters: [UInt32] = []
        var scores: [Float] = []
        let (rows, nearest) = (state.0, state.1)
        nearest.forEachRow(of: rows, scoring: scoring) { (row, cluster, score) in
          clusters.append(UInt32(truncatingIfNeeded: cluster))
          if scoring { scores.append(score) }
          if let last {
            let old = Int(last[positions.lowerBound + row])
            guard old != cluster else { return }
            state.2?.remove(rows, row, from: old)
          }
          state.2?.add(rows, row, to: cluster)
        }
        found.withLock { found in
          found.clusters.replaceSubrange(positions, with: clusters)
          if scoring { found.scores.replaceSubrange(positions, with: scores) }
        }
      }
    }
    return (found.withLock { $0 }, merged.withLock { $0 })
  }

  /// The length (L2) of each row, by position: the root of its score with itself.
  package func lengths() throws(StoreError) -> [Double] {
    var lengths: [Double] = []
    lengths.reserveCapacity(count)
    try translatingErrors { () throws(StorageError) in
      let rows = RowBlock(dimension: dimension, capacity: Self.blockRowCount)
      for piece in 0..<blockCount {
        try read(block(piece), into: rows)
        lengths += rows.squaredLengths.map { Double($0).squareRoot() }
      }
    }
    return lengths
  }

  /// The mean over all rows of (b - a) / max(a, b): a is 1 - score for the nearest centroid, b for
  /// the next one; 0 with fewer than two centroids. One matrix product, whose rounding stays.
  package func simplifiedSilhouette(
    _ centroids: [Float], cancellation: WorkCancellation
  ) throws(StoreError) -> Double {
    guard centroids.count >= 2 * dimension, count > 0 else { return 0 }
    let matrix = VectorMatrix(centroids, dimension: dimension)
    let sums = Mutex([Double](repeating: 0, count: blockCount))
    try translatingErrors { () throws(StorageError) in
      try SharedWork.forEachPiece(
        of: blockCount, threadCount: threadCount, cancellation: cancellation,
        makeState: {
          (
            RowBlock(dimension: dimension, capacity: Self.blockRowCount),
            NearestVectors(matrix, rowCapacity: Self.blockRowCount, rowLength: maximumLength)
          )
        }
      ) { (piece, state) throws(StorageError) in
        try read(block(piece), into: state.0)
        var sum = 0.0
        state.1.forEachBestTwo(of: state.0) { best, next in
          let (own, other) = (max(0, 1 - Double(best)), max(0, 1 - Double(next)))
          if other > 0 { sum += (other - own) / other }
        }
        sums.withLock { $0[piece] = sum }
      }
    }
    return sums.withLock { $0.reduce(0, +) } / Double(count)
  }
}
