internal import Dispatch
internal import EmbeddingFiles
internal import Synchronization

/// Work in numbered pieces that several threads share out among them.
///
/// Which thread does which piece is chance; whoever puts the results in the order of the pieces
/// gets the same ones whatever the number of threads.
enum SharedWork {
  /// Gives each thread a state of its own, and calls `work` with it for every piece; `finish` gets
  /// the state of each thread at its end.
  static func forEachPiece<State>(
    of count: Int, threadCount: Int, cancellation: WorkCancellation,
    makeState: @Sendable () -> State,
    finish: @Sendable (State) -> Void = { _ in },
    _ work: @Sendable (Int, inout State) throws(StorageError) -> Void
  ) throws(StorageError) {
    let next = Atomic(0)
    let failure = SearchFailure()
    let goesOn = SharedFlag(true)
    DispatchQueue.concurrentPerform(iterations: max(1, min(threadCount, count))) { _ in
      var state = makeState()
      while goesOn.value {
        let piece = next.add(1, ordering: .relaxed).oldValue
        guard piece < count else { break }
        do throws(StorageError) {
          try cancellation.check()
          try work(piece, &state)
        } catch {
          failure.record(error)
          goesOn.clear()
        }
      }
      finish(state)
    }
    try failure.check()
  }
}
