internal import EmbeddingKernels
internal import Synchronization

/// A lower bound of the worst score in the final result, shared by the threads of one search.
///
/// Any thread's full set of candidates proves one: those candidates alone fill the result. So do
/// all threads' shares of it together, which are far better while each has seen only its rows.
final class SharedThreshold: Sendable {
  private let bits = Atomic((-Float.infinity).bitPattern)
  private let threadCount: Int
  /// So many candidates of each thread fill the result.
  private let shareCount: Int
  /// The score that the share of each thread reaches.
  private let shares = Mutex<[Float]>([])

  /// A threshold of a search for `capacity` rows, each of which is seen by one thread; as it is made
  /// without arguments, one that no shares raise.
  init(threadCount: Int = 1, capacity: Int = 0) {
    self.threadCount = threadCount
    shareCount = (capacity + threadCount - 1) / threadCount
  }

  var value: Float { Float(bitPattern: bits.load(ordering: .relaxed)) }

  func raise(to value: Float) {
    var current = bits.load(ordering: .relaxed)
    while Float(bitPattern: current) < value {
      let (exchanged, original) = bits.weakCompareExchange(
        expected: current, desired: value.bitPattern, ordering: .relaxed)
      if exchanged { return }
      current = original
    }
  }

  /// Takes in one more thread, and returns its number.
  func join() -> Int {
    shares.withLock {
      $0.append(-.infinity)
      return $0.count - 1
    }
  }

  /// Raises the threshold by what a thread has found so far.
  func raise(by candidates: TopCandidates, of thread: Int) {
    guard threadCount > 1, candidates.count >= shareCount else { return }
    let share = candidates.score(at: shareCount - 1)
    let reached = shares.withLock {
      $0[thread] = share
      return $0.count == threadCount ? $0.min() : nil
    }
    if let reached { raise(to: reached) }
  }
}
