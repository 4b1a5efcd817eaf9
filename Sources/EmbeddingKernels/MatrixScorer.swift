import CEmbeddingKernels

/// Scores rows against many queries at once with one matrix product per block.
///
/// The scores differ from K by rounding, at most by `errorBound`; whoever needs K asks for
/// candidates down to the threshold less that bound and scores those again. Holds scratch; for
/// use by one thread at a time, but several threads may each have one.
@safe
package final class MatrixScorer {
  /// Rows that one call of `score` takes at most.
  package static let blockRowCount = 1024

  /// Rows scored by the last call of `score`.
  package private(set) var count = 0
  package let queryCount: Int
  private let dimension: Int
  private let lengths: [Float]
  private let queries: UnsafeMutablePointer<Float>
  private let rows: UnsafeMutablePointer<Float>
  private let buffer: ScoreBuffer
  private let kernels: Kernels

  /// - Precondition: all queries have the same dimension.
  package init(queries: [PreparedQuery], kernels: Kernels = .current) {
    self.kernels = kernels
    let dimension = queries.first?.dimension ?? 0
    precondition(queries.allSatisfy { $0.dimension == dimension }, "queries differ in dimension")
    self.dimension = dimension
    queryCount = queries.count
    lengths = queries.map(\.length)
    self.queries = allocateAligned(queries.count * dimension)
    for (index, component) in queries.lazy.flatMap(\.vector).enumerated() {
      (self.queries + index).initialize(to: component)
    }
    rows = allocateAligned(Self.blockRowCount * dimension)
    buffer = ScoreBuffer(capacity: Self.blockRowCount, lists: queries.count, kernels: kernels)
  }

  deinit {
    queries.deallocate()
    rows.deallocate()
  }

  /// Scores the first `count` rows of `rows`, `stride` bytes apart, against every query.
  ///
  /// - Precondition: `count <= blockRowCount`, the rows lie within `rows`, which starts at an even
  ///   address, and `stride` is even.
  package func score(_ rows: RawSpan, stride: Int, count: Int) {
    precondition(count <= Self.blockRowCount, "a block holds blockRowCount rows at most")
    rows.checkRows(stride: stride, count: count, dimension: dimension)
    self.count = count
    rows.withUnsafeBytes { bytes in
      guard count > 0, queryCount > 0, let base = bytes.baseAddress else { return }
      kernels.table.pointee.widen_rows_f16(base, stride, count, dimension, self.rows, dimension)
      multiplyTransposed(
        left: queries, leftCount: queryCount, right: self.rows, rightCount: count,
        depth: dimension, products: buffer.scores, productStride: buffer.listStride)
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

  /// The most that this scorer's score and K can differ for a row of at most `rowLength` (L2 norm).
  ///
  /// See `ProductMargin`.
  package func errorBound(query: Int, rowLength: Float) -> Float {
    precondition(query >= 0 && query < queryCount, "no such query")
    return ProductMargin.bound(
      dimension: dimension, lengths: Double(lengths[query]) * Double(rowLength))
  }
}
