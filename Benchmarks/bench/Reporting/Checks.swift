import Synchronization

/// Counts checks, and keeps what failed.
final class Checks: Sendable {
  private struct Outcomes {
    var passedCount = 0
    var failures: [String] = []
  }

  private let outcomes = Mutex(Outcomes())

  var passedCount: Int { outcomes.withLock { $0.passedCount } }
  var failures: [String] { outcomes.withLock { $0.failures } }

  func expect(_ isTrue: Bool, _ failure: @autoclosure () -> String) {
    let failure = isTrue ? nil : failure()
    outcomes.withLock { outcomes in
      if let failure {
        outcomes.failures.append(failure)
      } else {
        outcomes.passedCount += 1
      }
    }
  }

  /// Counts a check that found `problem`, or nothing wrong.
  func expectNone(_ problem: String?) {
    expect(problem == nil, problem ?? "")
  }

  /// Says how the checks went; throws when one failed.
  func report() throws(BenchError) {
    let failures = failures
    guard failures.isEmpty else {
      let shown = failures.prefix(20).map { "\n  \($0)" }.joined()
      let more = failures.count > 20 ? "\n  and \(failures.count - 20) more" : ""
      throw BenchError("\(failures.count) checks failed, \(passedCount) passed:\(shown)\(more)")
    }
    Console.line("All \(passedCount) checks passed.")
  }
}
