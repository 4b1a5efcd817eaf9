internal import Dispatch
internal import EmbeddingFiles
internal import Synchronization

/// Runs the same work on several threads, the caller's among them, and collects the results.
enum Parallel {
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
