/// Counts checks, and keeps what failed.
final class Checks {
  private(set) var passedCount = 0
  private(set) var failures: [String] = []

  func expect(_ isTrue: Bool, _ failure: @autoclosure () -> String) {
    if isTrue {
      passedCount += 1
    } else {
      failures.append(failure())
    }
  }

  /// Counts a check that found `problem`, or nothing wrong.
  func expectNone(_ problem: String?) {
    expect(problem == nil, problem ?? "")
  }

  /// Says how the checks went; throws when one failed.
  func report() throws(BenchError) {
    guard failures.isEmpty else {
      let shown = failures.prefix(20).map { "\n  \($0)" }.joined()
      let more = failures.count > 20 ? "\n  and \(failures.count - 20) more" : ""
      throw BenchError("\(failures.count) checks failed, \(passedCount) passed:\(shown)\(more)")
    }
    Console.line("All \(passedCount) checks passed.")
  }
}
