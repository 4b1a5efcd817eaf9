internal import Dispatch

/// Runs an actor's work on a thread of Dispatch.
///
/// libpq waits for the network, and a thread of Swift's pool that waits is missing to everyone else.
final class BlockingExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "EmbeddingPostgres")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      // unsafe: the queue runs each job once, one after the other.
      unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
    }
  }
}
