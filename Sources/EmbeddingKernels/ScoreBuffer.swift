import CEmbeddingKernels

/// The scores of one block, for one query or several, and the pass that picks candidates.
///
/// For use by one thread at a time.
@safe
final class ScoreBuffer {
  /// Rows in a block at most.
  let capacity: Int
  /// Floats from one list to the next: not a power of two, which would put the same row of every
  /// list into one set of the first-level cache.
  let listStride: Int
  let scores: UnsafeMutablePointer<Float>
  private let selected: UnsafeMutablePointer<UInt32>
  private let kernels: Kernels

  /// Room for `lists` lists of scores, `capacity` each.
  init(capacity: Int, lists: Int = 1, kernels: Kernels) {
    self.capacity = capacity
    self.kernels = kernels
    listStride = capacity + 16
    scores = allocateAligned(listStride * max(lists, 1))
    selected = .allocate(capacity: capacity)
  }

  deinit {
    scores.deallocate()
    selected.deallocate()
  }

  /// Calls `body` for the scores of one list that are not below the threshold, by position.
  ///
  /// `body` returns the threshold for the rest. One kernel pass picks against the first threshold;
  /// only what it picks is compared with the later ones. NaN is not below anything.
  func forEachCandidate<Failure: Error>(
    list: Int = 0, count: Int, atLeast threshold: Float,
    _ body: (_ position: Int, _ score: Float) throws(Failure) -> Float
  ) throws(Failure) {
    let scores = scores + list * listStride
    let found = kernels.table.pointee.select_f32(scores, count, threshold, selected)
    var threshold = threshold
    for index in 0..<found {
      let position = Int(selected[index])
      let score = scores[position]
      if score < threshold { continue }
      threshold = try body(position, score)
    }
  }
}

/// Uninitialised floats that start at a cache line.
func allocateAligned(_ count: Int) -> UnsafeMutablePointer<Float> {
  UnsafeMutableRawPointer.allocate(byteCount: max(count, 1) * 4, alignment: 64)
    .bindMemory(to: Float.self, capacity: max(count, 1))
}

extension RawSpan {
  /// Traps unless rows `0..<count` of `dimension` halves lie within the span.
  func checkRows(stride: Int, count: Int, dimension: Int) {
    precondition(stride >= 2 * dimension && stride % 2 == 0, "rows overlap or are misaligned")
    precondition(
      count == 0
        || count > 0 && byteCount / stride + (byteCount % stride >= 2 * dimension ? 1 : 0) >= count,
      "the rows end beyond the bytes")
  }
}
