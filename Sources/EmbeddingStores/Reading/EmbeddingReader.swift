/// What can be read from: a store, as of its last commit, or a snapshot of one.
///
/// Every method reads from one snapshot and may be called from any thread. Reads wait for nobody who
/// waits for the disk: at most for a writer to note a row in memory. Besides what is said at each, all of them throw `.corrupt` when bytes
/// that they need do not match their checksum, and `.closed` or `.usedAfterFork` on such a store.
public protocol EmbeddingReader: Sendable {
  /// The space of the vectors.
  var space: EmbeddingSpace { get }

  /// A view of everything that stays as it is whatever is written later.
  ///
  /// It holds on to the main file of its time (disk space, not memory) and to the rows of the
  /// journal of its time (memory) until it is released. Costs nothing.
  func snapshot() throws(StoreError) -> Snapshot
}
