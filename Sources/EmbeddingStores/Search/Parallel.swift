internal import Dispatch
internal import EmbeddingFiles
internal import Foundation
internal import Synchronization

/// Runs the same work on several threads, the caller's among them, and collects the results.
enum Parallel {
  /// Below this a second thread costs more than it saves.
  private static let byteCountPerThread = 2 << 20

  /// How many threads to use for reading `byteCount` bytes, when `configured` (0: one per core)
  /// may be used.
  static func threadCount(configured: Int, byteCount: Int) -> Int {
    let available =
      configured > 0 ? configured : ProcessInfo.processInfo.activeProcessorCount
    return max(1, min(available, byteCount / byteCountPerThread))
  }

  static func run<Result: Sendable>(
    threadCount: Int, _ work: @Sendable () throws(StorageError) -> sending Result
  ) throws(StorageError) -> [Result] {
    guard threadCount > 1 else { return [try work()] }
    let results = Mutex<[Result]>([])
    let failure = SearchFailure()
    DispatchQueue.concurrentPerform(iterations: threadCount) { _ in
      do throws(StorageError) {
        let result = try work()
        results.withLock { $0.append(result) }
      } catch {
        failure.record(error)
      }
    }
    try failure.check()
    return results.withLock { $0 }
  }
}
