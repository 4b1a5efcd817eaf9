internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Synchronization

/// The best rows that the threads of one search have found so far, and the threshold they set.
final class SharedCandidates: Sendable {
  private let candidates: Mutex<TopCandidates>
  /// Bits of the threshold, to be read without waiting.
  private let bits: Atomic<UInt32>
  private let isGrouped: Bool

  init(_ candidates: TopCandidates, isGrouped: Bool) {
    bits = Atomic(candidates.threshold.bitPattern)
    self.candidates = Mutex(candidates)
    self.isGrouped = isGrouped
  }

  /// A row with a lower score can not enter; minus infinity until the result is full.
  var threshold: Float { Float(bitPattern: bits.load(ordering: .relaxed)) }

  var count: Int { candidates.withLock { $0.count } }

  /// The score of the candidate at a position of `sorted()`.
  func score(at position: Int) -> Float { candidates.withLock { $0.score(at: position) } }

  /// Gives `body` the candidates while no other thread has them.
  func withLock<Result: Sendable>(
    _ body: (inout TopCandidates) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try candidates.withLock { (candidates) throws(StorageError) in
      defer { bits.store(candidates.threshold.bitPattern, ordering: .relaxed) }
      return try body(&candidates)
    }
  }

  /// Whether a candidate would enter now.
  func admits(_ candidate: Candidate) -> Bool {
    // Above the threshold nothing else matters, but for a better part of the same key.
    if !isGrouped, candidate.score > threshold { return true }
    return candidates.withLock {
      $0.admits(score: candidate.score, row: candidate.row, group: candidate.group)
    }
  }

  /// The candidates, best first.
  func sorted() -> [Candidate] { candidates.withLock { $0.sorted() } }
}
