/// When a store compacts itself after a commit, and on which thread.
///
/// A compaction rewrites the live rows into a new main file. It runs where `perform` lets it; the
/// library starts no thread of its own.
public struct CompactionPolicy: Sendable {
  /// Compact when the journal on disk has more bytes than this.
  public var journalByteCount: Int
  /// Compact when more than this share of all rows is dead, if there are at least 1,024 rows.
  public var deadShare: Double
  /// Runs the compaction that it is given, now or later, on any thread. The default runs it at
  /// once, inside the call that committed. An app that queues it lets the queue run dry before it is
  /// suspended.
  public var perform: @Sendable (_ compaction: @escaping @Sendable () -> Void) -> Void

  /// Compact only when `compact()` is called.
  public static let manual = CompactionPolicy(
    journalByteCount: .max, deadShare: .infinity, perform: { _ in })

  /// Compact beyond 64 MiB of journal or half of the rows dead, inside the call that committed.
  public static let automatic = CompactionPolicy()

  /// Makes a policy.
  public init(
    journalByteCount: Int = 64 << 20, deadShare: Double = 0.5,
    perform: @escaping @Sendable (_ compaction: @escaping @Sendable () -> Void) -> Void = { $0() }
  ) {
    self.journalByteCount = journalByteCount
    self.deadShare = deadShare
    self.perform = perform
  }
}
