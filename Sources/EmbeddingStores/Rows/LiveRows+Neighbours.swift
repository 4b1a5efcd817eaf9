internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Synchronization

/// For each cluster the rows of other clusters that a bound can not keep away from its rows.
package struct Neighbours: Sendable {
  /// By cluster, ascending by the row's own cluster and then by position.
  fileprivate var lists: [[(own: UInt32, position: UInt32)]]

  /// The positions, ascending, of the rows of one cluster that may be near some row of another.
  fileprivate func positions(of cluster: Int, near other: Int) -> [Int] {
    let list = lists[other]
    var (start, end) = (0, list.count)
    while start < end {
      let middle = (start + end) / 2
      if Int(list[middle].own) < cluster { start = middle + 1 } else { end = middle }
    }
    var positions: [Int] = []
    while start < list.count, Int(list[start].own) == cluster {
      positions.append(Int(list[start].position))
      start += 1
    }
    return positions
  }
}

extension LiveRows {
  /// Which rows may be as near as `distance` to a row of another cluster.
  ///
  /// A row x of centroid a and a row y of centroid b have x·a >= x·b and y·b >= y·a. So on the
  /// line through a and b they are (x·(a - b) + y·(b - a)) / |a - b| apart, and no less than
  /// either part of that sum: where one is more than `distance`, the pair need not be looked at.
  ///
  /// One matrix product, and 8 bytes of memory for each row and cluster that stay together; nil
  /// when these are more than `share` of all, so that it would not pay.
  ///
  /// - Precondition: each row is assigned to the centroid that scores highest with it, and the
  ///   assignment is ascending.
  package func neighbours(
    of assignment: [UInt32], centroids: [Float], distance: Float, share: Double,
    cancellation: WorkCancellation
  ) throws(StoreError) -> Neighbours? {
    let matrix = VectorMatrix(centroids, dimension: dimension)
    // Rounding of y·b >= y·a is that of the score; that of the sum here is far below the slack.
    let slack = 4 * Float(dimension) * 0x1p-23 * maximumLength
    let allowances = ContiguousArray(
      matrix.distances().map { $0 * distance * 1.000_01 + slack })
    let limit = Int(share * Double(count) * Double(matrix.count))
    let found = Mutex((lists: [[(UInt32, UInt32)]](repeating: [], count: blockCount), total: 0))
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
        guard found.withLock({ $0.total }) <= limit else { return }
        let positions = block(piece)
        try read(positions, into: state.0)
        let own = ContiguousArray(assignment[positions])
        var list: [(UInt32, UInt32)] = []
        state.1.forEachNeighbour(of: state.0, own: own.span, allowances: allowances.span) {
          row, vector in
          list.append(
            (
              UInt32(truncatingIfNeeded: vector),
              UInt32(truncatingIfNeeded: positions.lowerBound + row)
            ))
        }
        found.withLock { found in
          found.total += list.count
          found.lists[piece] = list
        }
      }
    }
    return found.withLock { found in
      guard found.total <= limit else { return nil }
      var lists = [[(own: UInt32, position: UInt32)]](repeating: [], count: matrix.count)
      for list in found.lists {
        for (vector, position) in list {
          lists[Int(vector)].append((assignment[Int(position)], position))
        }
      }
      return Neighbours(lists: lists)
    }
  }

  /// Every pair of rows, once, whose score is not below `threshold`, that passes `isWanted`, and that
  /// lies within one cluster or is not kept apart by the bound of `neighbours`.
  ///
  /// `clusters` are the positions of each cluster's rows. As `pairs(atLeast:cancellation:)`.
  package func pairs(
    within clusters: [Range<Int>], and neighbours: Neighbours, atLeast threshold: Float,
    cancellation: WorkCancellation, where isWanted: @Sendable (Int, Int) -> Bool
  ) throws(StoreError) -> [RowPair] {
    let threshold = unclamped(threshold)
    let found = Mutex([[RowPair]](repeating: [], count: clusters.count))
    try translatingErrors { () throws(StorageError) in
      try SharedWork.forEachPiece(
        of: clusters.count, threadCount: threadCount, cancellation: cancellation,
        makeState: { PairWorker(rows: self, threshold: threshold) }
      ) { (piece, worker) throws(StorageError) in
        worker.found = []
        let own = Array(clusters[piece])
        try worker.compare(own, with: own, where: isWanted)
        for other in 0..<piece {
          let theirs = neighbours.positions(of: other, near: piece)
          guard !theirs.isEmpty else { continue }
          let ours = neighbours.positions(of: piece, near: other)
          guard !ours.isEmpty else { continue }
          try cancellation.check()
          try worker.compare(theirs, with: ours, where: isWanted)
        }
        found.withLock { $0[piece] = worker.found }
      }
    }
    return found.withLock { $0.flatMap { $0 } }
  }
}
