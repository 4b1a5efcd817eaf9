internal import Synchronization

/// Tells everyone who listens that something was committed.
final class ChangeFeed: Sendable {
  private struct Listeners {
    var continuations: [Int: AsyncStream<Commit>.Continuation] = [:]
    var nextNumber = 0
    var isFinished = false
    /// The newest change number that was told.
    var announced: UInt64
  }

  private let listeners: Mutex<Listeners>

  /// Tells of changes after `changeNumber`.
  init(after changeNumber: UInt64) {
    listeners = Mutex(Listeners(announced: changeNumber))
  }

  /// Only the newest commit waits for a slow listener: commits are watermarks, so nothing is
  /// missed by skipping one, and no memory piles up.
  func stream() -> AsyncStream<Commit> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = listeners.withLock { listeners -> Int? in
        guard !listeners.isFinished else { return nil }
        listeners.nextNumber += 1
        listeners.continuations[listeners.nextNumber] = continuation
        return listeners.nextNumber
      }
      guard let number else {
        continuation.finish()
        return
      }
      continuation.onTermination = { [weak self] _ in
        self?.listeners.withLock { _ = $0.continuations.removeValue(forKey: number) }
      }
    }
  }

  /// Tells of a commit, unless a later one was told of already.
  func announce(_ commit: Commit) {
    let continuations = listeners.withLock { listeners in
      guard commit.changeNumber > listeners.announced else {
        return [AsyncStream<Commit>.Continuation]()
      }
      listeners.announced = commit.changeNumber
      return Array(listeners.continuations.values)
    }
    for continuation in continuations {
      continuation.yield(commit)
    }
  }

  func finish() {
    let continuations = listeners.withLock { listeners in
      listeners.isFinished = true
      return Array(listeners.continuations.values)
    }
    for continuation in continuations {
      continuation.finish()
    }
  }
}
