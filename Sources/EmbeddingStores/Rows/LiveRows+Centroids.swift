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

extension LiveRows {
  /// Assigns each row to the centroid that scores highest with it, the first among equals.
  ///
  /// `centroids` are whole vectors one after the other. The scores are those of a search, not
  /// clamped. One matrix product; memory of 4 bytes a row, another 4 when `scoring`, and for each
  /// thread 2 KiB a centroid.
  package func assignment(
    to centroids: [Float], scoring: Bool, cancellation: WorkCancellation
  ) throws(StoreError) -> Assignment {
    let matrix = VectorMatrix(centroids, dimension: dimension)
    let found = Mutex(
      Assignment(
        clusters: [UInt32](repeating: 0, count: count),
        scores: scoring ? [Float](repeating: 0, count: count) : []))
    try translatingErrors { () throws(StorageError) in
      try SharedWork.forEachPiece(
        of: blockCount, threadCount: threadCount, cancellation: cancellation,
        makeState: {
          (
            RowBlock(dimension: dimension, capacity: Self.blockRowCount),
            NearestVectors(
              matrix, rowCapacity: Self.blockRowCount, rowLength: maximumLength)
          )
        }
      ) { (piece, state) throws(StorageError) in
        let positions = block(piece)
        try read(positions, into: state.0)
        var clusters: [UInt32] = []
        var scores: [Float] = []
        state.1.forEachRow(of: state.0, scoring: scoring) { (_, cluster, score) in
          clusters.append(UInt32(truncatingIfNeeded: cluster))
          if scoring { scores.append(score) }
        }
        found.withLock { found in
          found.clusters.replaceSubrange(positions, with: clusters)
          if scoring { found.scores.replaceSubrange(positions, with: scores) }
        }
      }
    }
    return found.withLock { $0 }
  }

  /// The sum of the rows of each group of positions, in Float64, one after the other.
  ///
  /// Rows are added in the order given, in runs of fixed length, so that the bits of a sum do not
  /// depend on the threads. 8 bytes of memory a component and run of 2,048 rows.
  package func sums(
    of groups: [[Int]], cancellation: WorkCancellation
  ) throws(StoreError) -> [Double] {
    var runs: [(group: Int, positions: ArraySlice<Int>)] = []
    for (group, positions) in groups.enumerated() {
      for start in stride(from: 0, to: positions.count, by: Self.runRowCount) {
        runs.append((group, positions[start..<min(positions.count, start + Self.runRowCount)]))
      }
    }
    let partial = Mutex([[Double]](repeating: [], count: runs.count))
    let pieces = runs
    try translatingErrors { () throws(StorageError) in
      try SharedWork.forEachPiece(
        of: pieces.count, threadCount: threadCount, cancellation: cancellation,
        makeState: { RowBlock(dimension: dimension, capacity: Self.blockRowCount) }
      ) { (piece, block) throws(StorageError) in
        var sum = [Double](repeating: 0, count: dimension)
        var rest = pieces[piece].positions
        while !rest.isEmpty {
          try read(rest.prefix(Self.blockRowCount), into: block)
          block.addRows(to: &sum)
          rest = rest.dropFirst(Self.blockRowCount)
        }
        partial.withLock { $0[piece] = sum }
      }
    }
    var sums = [Double](repeating: 0, count: groups.count * dimension)
    for (run, part) in zip(runs, partial.withLock({ $0 })) {
      let start = run.group * dimension
      for (index, value) in part.enumerated() { sums[start + index] += value }
    }
    return sums
  }

  private static let runRowCount = 4 * blockRowCount

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
