internal import Foundation

/// The SplitMix64 generator (Steele, Lea, Flood): the same numbers for the same seed everywhere.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts at a fixed seed.
  package init(seed: UInt64) {
    state = seed
  }

  /// Starts at `seed`, or at the one that the environment variable `EMBEDDING_TEST_SEED` gives,
  /// and prints it, so that a failure can be replayed.
  package init(_ name: String, seed: UInt64) {
    let chosen =
      ProcessInfo.processInfo.environment["EMBEDDING_TEST_SEED"].flatMap { UInt64($0) } ?? seed
    print("\(name): EMBEDDING_TEST_SEED=\(chosen)")
    self.init(seed: chosen)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }
}
