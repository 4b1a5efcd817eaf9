/// When a store compacts itself after a commit, and on which thread.
///
/// A compaction rewrites the live rows into a new main file. It runs where `perform` lets it; the
/// library starts no thread of its own.
public struct CompactionPolicy: Sendable {
  /// Compact when the journal on disk has more bytes than this. Nil stands for a sixteenth of the main
  /// file's bytes, but at least 8 MiB and at most 64 MiB: the rows in the journal are held in memory,
  /// about as many bytes as on disk, and a larger store is rewritten less often.
  public var journalByteCount: Int?
  /// Compact when more than this share of all rows is dead, if there are at least 1,024 rows.
  public var deadShare: Double
  /// Runs the compaction that it is given, now or later, on any thread. The default runs it at
  /// once, inside the call that committed. An app that queues it lets the queue run dry before it is
  /// suspended.
  public var perform: @Sendable (_ compaction: @escaping @Sendable () -> Void) -> Void

  /// Compact only when `compact()` is called.
  public static let manual = CompactionPolicy(
    journalByteCount: .max, deadShare: .infinity, perform: { _ in })

  /// Compact beyond a sixteenth of the main file, 8 to 64 MiB, of journal, or half of the rows dead,
  /// inside the call that committed.
  public static let automatic = CompactionPolicy()

  /// Makes a policy.
  public init(
    journalByteCount: Int? = nil, deadShare: Double = 0.5,
    perform: @escaping @Sendable (_ compaction: @escaping @Sendable () -> Void) -> Void = { $0() }
  ) {
    self.journalByteCount = journalByteCount
    self.deadShare = deadShare
    self.perform = perform
  }

  /// Bytes of journal that are not yet a reason to compact, beside a main file of so many.
  func journalByteLimit(beside mainFileByteCount: Int) -> Int {
    journalByteCount ?? min(max(mainFileByteCount / 16, 8 << 20), 64 << 20)
  }
}
