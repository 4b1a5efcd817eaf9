internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Synchronization

/// Two rows by position, the smaller first, and their score.
package struct RowPair: Sendable {
  package let first: Int
  package let second: Int
  /// As in a search for one from the other; not clamped.
  package let score: Float
}

extension LiveRows {
  /// Every pair of rows whose score is not below `threshold`, once, and passes `isWanted`.
  ///
  /// `ofBlocks` says of two ranges of positions whether some pair of theirs may be wanted; blocks of
  /// which it says no are not compared. Pairs come in the order of their positions within two
  /// blocks, whatever the number of threads. Products of sketches tell which pairs to score; half a
  /// matrix product of all rows with themselves where these would not pay, in both cases less what
  /// `ofBlocks` rules out. Memory for the pairs and the sketches, and 4 MiB and two blocks of rows a
  /// thread.
  package func pairs(
    atLeast threshold: Float, cancellation: WorkCancellation,
    ofBlocks mayPair: @Sendable (Range<Int>, Range<Int>) -> Bool,
    where isWanted: @Sendable (Int, Int) -> Bool
  ) throws(StoreError) -> [RowPair] {
    // No clamped score is below -1.
    let threshold = isNormalized && threshold <= -1 ? -.infinity : threshold
    let found = Mutex([[RowPair]](repeating: [], count: blockCount))
    try translatingErrors { () throws(StorageError) in
      let sketches = try sketches(forScore: threshold, cancellation: cancellation)
      try SharedWork.forEachPiece(
        of: blockCount, threadCount: threadCount, cancellation: cancellation,
        makeState: { PairWorker(rows: self, sketches: sketches, threshold: threshold) }
      ) { (piece, worker) throws(StorageError) in
        try worker.begin(block(piece))
        for other in piece..<blockCount where mayPair(block(piece), block(other)) {
          try cancellation.check()
          try worker.compare(with: block(other), where: isWanted)
        }
        found.withLock { $0[piece] = worker.found }
      }
    }
    return found.withLock { $0.flatMap { $0 } }
  }
}
