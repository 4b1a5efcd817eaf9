import CEmbeddingKernels

/// Scores rows against one query by K, a block at a time, and yields candidates.
///
/// K is defined in `CEmbeddingKernels.h`: the same bits at every kernel level. Holds scratch; for
/// use by one thread at a time.
@safe
package final class BlockScorer {
  /// Rows that one call of `score` takes at most.
  ///
  /// Their scores and indexes fill a quarter of a 32 KiB first-level cache.
  package static let blockRowCount = 1024

  /// Rows scored by the last call of `score`.
  package private(set) var count = 0
  private let dimension: Int
  private let query: UnsafeMutablePointer<Float>
  private let buffer: ScoreBuffer
  private let kernels: Kernels

  package init(query: PreparedQuery, kernels: Kernels = .current) {
    self.kernels = kernels
    dimension = query.dimension
    // A copy at a cache line: wide loads of an unaligned query cost twice.
    self.query = allocateAligned(dimension)
    for (index, component) in query.vector.enumerated() {
      (self.query + index).initialize(to: component)
    }
    buffer = ScoreBuffer(capacity: Self.blockRowCount, kernels: kernels)
  }

  deinit { query.deallocate() }

  /// Scores the first `count` rows of `rows`, `stride` bytes apart; position i is row i.
  ///
  /// - Precondition: `count <= blockRowCount`, the rows lie within `rows`, which starts at an even
  ///   address, and `stride` is even.
  /// - Complexity: `count` rows read.
  package func score(_ rows: RawSpan, stride: Int, count: Int) {
    precondition(count <= Self.blockRowCount, "a block holds blockRowCount rows at most")
    rows.checkRows(stride: stride, count: count, dimension: dimension)
    self.count = count
    rows.withUnsafeBytes { bytes in
      guard count > 0, let base = bytes.baseAddress else { return }
      kernels.table.pointee.dot_f16(base, stride, count, query, dimension, buffer.scores)
    }
  }

  /// Scores the rows at `indexes`; position i is row `indexes[i]`.
  ///
  /// - Precondition: as above; every index names a row within `rows`.
  /// - Complexity: as many rows read as there are indexes.
  package func score(_ rows: RawSpan, stride: Int, at indexes: Span<UInt32>) {
    precondition(indexes.count <= Self.blockRowCount, "a block holds blockRowCount rows at most")
    count = indexes.count
    indexes.withUnsafeBufferPointer { indexes in
      guard let largest = indexes.max(), let first = indexes.baseAddress else { return }
      rows.checkRows(stride: stride, count: Int(largest) + 1, dimension: dimension)
      rows.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        kernels.table.pointee.dot_gather_f16(
          base, stride, first, indexes.count, query, dimension, buffer.scores)
      }
    }
  }

  /// Calls `body` for every scored row that is not below the threshold, in increasing position.
  ///
  /// `body` returns the threshold for the rest of the block, so that it can pass on what a full
  /// heap no longer admits. It must not call `score`. A score that is not a number is not below
  /// any threshold.
  package func forEachCandidate<Failure: Error>(
    atLeast threshold: Float,
    _ body: (_ position: Int, _ score: Float) throws(Failure) -> Float
  ) throws(Failure) {
    try buffer.forEachCandidate(count: count, atLeast: threshold, body)
  }

  /// The score at a position.
  package subscript(position: Int) -> Float {
    precondition(position >= 0 && position < count, "no row was scored at this position")
    return buffer.scores[position]
  }
}
