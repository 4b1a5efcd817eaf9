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
  /// which it says no are not multiplied. Pairs come in an order that is the same whatever the number
  /// of threads. Half a matrix product of all rows with themselves, less what `ofBlocks` rules
  /// out; memory for the pairs, and 2 MiB and two blocks of rows a thread.
  package func pairs(
    atLeast threshold: Float, cancellation: WorkCancellation,
    ofBlocks mayPair: @Sendable (Range<Int>, Range<Int>) -> Bool,
    where isWanted: @Sendable (Int, Int) -> Bool
  ) throws(StoreError) -> [RowPair] {
    let threshold = unclamped(threshold)
    let found = Mutex([[RowPair]](repeating: [], count: blockCount))
    try translatingErrors { () throws(StorageError) in
      try SharedWork.forEachPiece(
        of: blockCount, threadCount: threadCount, cancellation: cancellation,
        makeState: { PairWorker(rows: self, threshold: threshold) }
      ) { (piece, worker) throws(StorageError) in
        worker.found = []
        let left = block(piece)
        try read(left, into: worker.left)
        for other in piece..<blockCount where mayPair(left, block(other)) {
          try cancellation.check()
          if other > piece { try read(block(other), into: worker.right) }
          worker.compareRead(left, with: block(other), where: isWanted)
        }
        found.withLock { $0[piece] = worker.found }
      }
    }
    return found.withLock { $0.flatMap { $0 } }
  }

  /// No two rows whose score is at least `threshold` are further apart than this.
  ///
  /// |x - y|² = |x|² + |y|² - 2 x·y, where x·y may be below the score by rounding.
  package func distance(forScore threshold: Float) -> Float {
    let length = Double(maximumLength)
    let roundings = Double(dimension) * 0x1p-23
    let product = Double(threshold) - roundings * length * length
    return Float((max(0, 2 * length * length - 2 * product)).squareRoot() * (1 + 0x1p-20))
  }

  func unclamped(_ threshold: Float) -> Float {
    isNormalized && threshold <= -1 ? -.infinity : threshold
  }
}
