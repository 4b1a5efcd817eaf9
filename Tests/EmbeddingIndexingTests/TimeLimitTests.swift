import Synchronization
import Testing

@testable import EmbeddingIndexing

@Suite struct TimeLimitTests {
  @Test func givesWhatTheWorkGives() async throws {
    #expect(try await withTimeLimit(.seconds(60)) { 7 } == 7)
    struct Refused: Error {}
    await #expect(throws: Refused.self) {
      try await withTimeLimit(.seconds(60)) { throw Refused() }
    }
  }

  @Test func cancelsWhatTakesLonger() async {
    await #expect(throws: TimedOut.self) {
      try await withTimeLimit(.milliseconds(10)) { try await Task.sleep(for: .seconds(600)) }
    }
    await #expect(throws: TimedOut.self) {
      try await withTimeLimit(.zero) { try await Task.sleep(for: .seconds(600)) }
    }
  }

  @Test func aShortLimitIsNotHeldUpByALongOneBefore() async throws {
    let isOver = Atomic(false)
    async let long: Void = withTimeLimit(.seconds(600)) {
      while !isOver.load(ordering: .relaxed) { try await Task.sleep(for: .milliseconds(1)) }
    }
    for _ in 0..<3 {
      await #expect(throws: TimedOut.self) {
        try await withTimeLimit(.milliseconds(5)) { try await Task.sleep(for: .seconds(600)) }
      }
    }
    isOver.store(true, ordering: .relaxed)
    try await long
  }

  @Test func isCancelledWithItsTask() async {
    let task = Task {
      try await withTimeLimit(.seconds(600)) { try await Task.sleep(for: .seconds(600)) }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
