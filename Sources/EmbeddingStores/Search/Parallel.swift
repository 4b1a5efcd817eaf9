internal import Dispatch
internal import EmbeddingFiles
internal import EmbeddingKernels
internal import Synchronization

/// Runs the same work on several threads, the caller's among them.
enum Parallel {
  static func run(
    threadCount: Int, _ work: @Sendable () throws(StorageError) -> Void
  ) throws(StorageError) {
    guard threadCount > 1 else { return try work() }
    let failure = SearchFailure()
    let workingCount = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: threadCount) { _ in
      workingCount.add(1, ordering: .relaxed)
      do throws(StorageError) {
        try work()
      } catch {
        failure.record(error)
      }
      workingCount.subtract(1, ordering: .relaxed)
      waitBriefly(forNoneOf: workingCount)
    }
    try failure.check()
  }

  /// Threads end within microseconds of each other, while to sleep and be woken takes fifty.
  private static func waitBriefly(forNoneOf workingCount: borrowing Atomic<Int>) {
    let end = DispatchTime.now() + .microseconds(20)
    while workingCount.load(ordering: .relaxed) > 0, DispatchTime.now() < end {
      pauseSpinning()
    }
  }
}
