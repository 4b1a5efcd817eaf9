#if SABOTAGE
  import Synchronization
#endif

/// A part of the bounds' proof that a build of the tests with `-D SABOTAGE` can leave out, to see
/// that the campaigns notice. In every other build all is in, and asking costs nothing.
package enum BoundSabotage: UInt8, CaseIterable, Sendable {
  /// What codes leave out is stored rounded down.
  case roundsDown = 1
  /// Nothing is added for rounding.
  case dropsSlack

  #if SABOTAGE
    private static let current = Atomic<UInt8>(0)

    /// Leaves one part out and all others in.
    package static func begin(_ sabotage: BoundSabotage?) {
      current.store(sabotage?.rawValue ?? 0, ordering: .sequentiallyConsistent)
    }

    static func applies(_ sabotage: BoundSabotage) -> Bool {
      current.load(ordering: .relaxed) == sabotage.rawValue
    }
  #else
    @inline(__always)
    static func applies(_ sabotage: BoundSabotage) -> Bool { false }
  #endif
}
