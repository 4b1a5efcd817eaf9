import Foundation

/// Lets Control-C end work in good order.
enum Interruption {
  /// Does work in a task that the first interruption cancels; the second ends the program at once.
  static func cancels<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await work() }
    let interruption = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    interruption.setEventHandler {
      signal(SIGINT, SIG_DFL)
      Console.progress("\nEnding after the batch in flight; interrupt again to end at once.")
      task.cancel()
    }
    // Else the signal ends the program before the handler is asked.
    signal(SIGINT, SIG_IGN)
    interruption.resume()
    defer {
      interruption.cancel()
      signal(SIGINT, SIG_DFL)
    }
    return try await task.value
  }
}
