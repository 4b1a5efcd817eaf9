import CEmbeddingKernels

/// Scores rows against many queries at once by K, a block at a time, and yields candidates.
///
/// The scores have the bits that a `BlockScorer` gives. Each row is read and widened once for all
/// queries, which makes the work that of a matrix product. Holds scratch; for use by one thread at
/// a time, but several threads may each have one.
@safe
package final class MatrixScorer {
  /// Rows that one call of `score` takes at most.
  package static let blockRowCount = 1024

  /// Bytes of widened rows that are scored against all queries before the next ones are widened:
  /// a fraction of a second-level cache.
  private static let panelByteCount = 192 * 1024

  /// Rows scored by the last call of `score`.
  package private(set) var count = 0
  package let queryCount: Int
  private let dimension: Int
  /// The dimension rounded up to the 64 lanes of K; what lies between is zero.
  private let paddedDimension: Int
  private let queries: UnsafeMutablePointer<Float>
  private let panel: UnsafeMutablePointer<Float>
  private let panelRowCount: Int
  private let buffer: ScoreBuffer
  private let kernels: Kernels

  /// - Precondition: all queries have the same dimension.
  package init(queries: [PreparedQuery], kernels: Kernels = .current) {
    self.kernels = kernels
    let dimension = queries.first?.dimension ?? 0
    precondition(queries.allSatisfy { $0.dimension == dimension }, "queries differ in dimension")
    let padded = (dimension + 63) & ~63
    self.dimension = dimension
    paddedDimension = padded
    queryCount = queries.count
    self.queries = allocateAligned(queries.count * padded)
    self.queries.initialize(repeating: 0, count: queries.count * padded)
    for (index, query) in queries.enumerated() {
      (self.queries + index * padded).update(from: query.vector, count: dimension)
    }
    // A multiple of the three rows that the kernels take at once.
    panelRowCount = max(Self.panelByteCount / (4 * max(padded, 1)) / 3, 4) * 3
    panel = allocateAligned(panelRowCount * padded)
    panel.initialize(repeating: 0, count: panelRowCount * padded)
    buffer = ScoreBuffer(capacity: Self.blockRowCount, lists: queries.count, kernels: kernels)
  }

  deinit {
    queries.deallocate()
    panel.deallocate()
  }

  /// Scores the first `count` rows of `rows`, `stride` bytes apart, against every query.
  ///
  /// - Precondition: `count <= blockRowCount`, the rows lie within `rows`, which starts at an even
  ///   address, and `stride` is even.
  /// - Complexity: `count` rows read; `queryCount * count` scores.
  package func score(_ rows: RawSpan, stride: Int, count: Int) {
    precondition(count <= Self.blockRowCount, "a block holds blockRowCount rows at most")
    rows.checkRows(stride: stride, count: count, dimension: dimension)
    self.count = count
    rows.withUnsafeBytes { bytes in
      guard queryCount > 0, let base = bytes.baseAddress else { return }
      for start in Swift.stride(from: 0, to: count, by: panelRowCount) {
        let panelCount = min(panelRowCount, count - start)
        kernels.table.pointee.widen_rows_f16(
          base + start * stride, stride, panelCount, dimension, panel, paddedDimension)
        kernels.table.pointee.dot_matrix_f32(
          panel, panelCount, queries, queryCount, paddedDimension, buffer.scores + start,
          buffer.listStride)
      }
    }
  }

  /// Calls `body` for every row whose score with a query is not below the threshold, in increasing
  /// position; `body` returns the threshold for the rest of the block and must not call `score`.
  package func forEachCandidate<Failure: Error>(
    query: Int, atLeast threshold: Float,
    _ body: (_ position: Int, _ score: Float) throws(Failure) -> Float
  ) throws(Failure) {
    precondition(query >= 0 && query < queryCount, "no such query")
    try buffer.forEachCandidate(list: query, count: count, atLeast: threshold, body)
  }
}
