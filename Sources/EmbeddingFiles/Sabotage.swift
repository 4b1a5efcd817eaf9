#if SABOTAGE
  import Synchronization
#endif

/// A guard of the store that a build of the tests with `-D SABOTAGE` can switch off, to see that
/// the campaigns notice.
///
/// In every other build all guards are on, and asking costs nothing.
package enum Sabotage: UInt8, CaseIterable, Sendable {
  case journalChecksum = 1, commitEntry, lossCheck
  case manifestChecksum, mainFileChecksum, latch, doubt, writerLock

  #if SABOTAGE
    private static let current = Atomic<UInt8>(0)

    /// Switches one guard off and all others on.
    package static func begin(_ sabotage: Sabotage?) {
      current.store(sabotage?.rawValue ?? 0, ordering: .sequentiallyConsistent)
    }

    static func skips(_ sabotage: Sabotage) -> Bool {
      current.load(ordering: .relaxed) == sabotage.rawValue
    }
  #else
    @inline(__always)
    static func skips(_ sabotage: Sabotage) -> Bool { false }
  #endif
}
