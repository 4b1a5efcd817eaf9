internal import EmbeddingTestSupport

/// When to kill a process that indexes: some time after it said something.
struct KillMoment {
  /// Whether what it said last is what to wait for; nil for not to wait at all.
  var isReached: ((String) -> Bool)?
  /// The most microseconds to wait then.
  var window: Int

  /// After the `count`th line of a kind.
  static func after(_ word: String, _ count: Int = 1, within window: Int) -> KillMoment {
    var left = count
    return KillMoment(
      isReached: { line in
        if line.hasPrefix(word) { left -= 1 }
        return left == 0
      }, window: window)
  }

  /// Also when something else is said.
  func orAt(_ line: String) -> KillMoment {
    guard let isReached else { return self }
    return KillMoment(isReached: { $0 == line || isReached($0) }, window: window)
  }

  /// Anywhere in the life of a process, after so many batches that the kills are spread over all that
  /// are left.
  static func random(
    batchesLeft: Int, killsLeft: Int, batchMicroseconds: Int,
    using generator: inout SeededGenerator
  ) -> KillMoment {
    let mean = Double(max(0, batchesLeft)) / Double(killsLeft)
    let count = 1 + Int(Double.random(in: 0...2.4 * mean, using: &generator))
    switch Int.random(in: 0..<20, using: &generator) {
    case 0, 1: return KillMoment(isReached: nil, window: 30_000)
    case 2: return .after("planning", within: 15_000)
    case 3..<8: return .after("encoding", count, within: 3_000).orAt("compacting")
    case 8..<14: return .after("storing", count, within: 500)
    default: return .after("encoding", count, within: batchMicroseconds * 3 / 2)
    }
  }
}
