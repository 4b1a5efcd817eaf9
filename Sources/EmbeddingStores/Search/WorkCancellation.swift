internal import EmbeddingFiles
internal import Synchronization

/// Ends a search or other long work on rows early: from another thread, or from the task that does it.
package final class WorkCancellation: Sendable {
  private let isCancelled = Atomic(false)
  private let message: String

  /// `message` is what the error says.
  package init(_ message: String) {
    self.message = message
  }

  /// Ends a search.
  static func ofSearch() -> WorkCancellation { WorkCancellation("The search was cancelled.") }

  package func cancel() {
    isCancelled.store(true, ordering: .relaxed)
  }

  func check() throws(StorageError) {
    guard !isCancelled.load(ordering: .relaxed) else { throw StorageError(.cancelled, message) }
  }

  /// Throws `.cancelled` when it was cancelled or the current task was.
  package func checkTask() throws(StoreError) {
    if Task.isCancelled { cancel() }
    try translatingErrors { () throws(StorageError) in try check() }
  }

  /// Runs `body` so that cancelling the current task cancels it.
  package func run<Result: Sendable>(
    _ body: () throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    let outcome = await withTaskCancellationHandler {
      do throws(StoreError) {
        return Swift.Result<Result, StoreError>.success(try body())
      } catch {
        return .failure(error)
      }
    } onCancel: {
      cancel()
    }
    return try outcome.get()
  }
}
