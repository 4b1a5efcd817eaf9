public import EmbeddingStores
internal import Foundation
internal import Synchronization

/// The words of a store's records, found by SQLite's FTS5, and searched together with the vectors.
///
/// The index is the file `text.sqlite` in the store's directory, derived from the store: it follows the
/// store by change numbers, goes on where it was after a crash, and is made anew when it is missing,
/// damaged or another store's. Deleting it while it is not open loses nothing. Every search first
/// takes in what the store holds by then, and answers with nothing that the store does not hold.
///
/// A store in memory, or one that is read-only while its file is missing or behind, has its index
/// in memory; so has one whose file can not be written, from then on. Any thread may use an index;
/// searches of one take turns while SQLite works. Several processes may have one for the same store.
///
/// Records are found by their text and their labels. Words are kept as folded tokens, twice (as a
/// list and as an index), beside the text in the store. Words of removed records are no longer found,
/// and leave the disk with the next `compact()` at the latest. A store's backup does not hold the index.
public final class TextIndex: Sendable {
  /// The store whose words these are.
  public let store: EmbeddingStore
  let path: String?
  let engine: String
  let batchRowCount: Int
  private let state: Mutex<State?>

  struct State: Sendable {
    var table: WordTable
    var place: Place
    /// The rows that the table held at a position.
    var mark: RowMark?
    var markPosition: WordTable.Position?
    var finder: RowFinder?
  }

  enum Place: Sendable {
    case file, readOnlyFile, memory
  }

  /// Opens the index of a store, or makes it.
  ///
  /// Making it, and going on after others wrote, is left to `catchUp()` or the first search.
  ///
  /// - Throws: `.textSearchUnavailable` when SQLite has no FTS5; `.alreadyExists` when the file is a
  ///   database of something else, which is left alone; `.closed` for a closed store.
  public convenience init(of store: EmbeddingStore) throws(StoreError) {
    try self.init(of: store, batchRowCount: 4_096)
  }

  /// - Parameter batchRowCount: Rows taken in by one transaction.
  package init(
    of store: EmbeddingStore, engine: String = "fts5", batchRowCount: Int
  ) throws(StoreError) {
    self.store = store
    self.batchRowCount = batchRowCount
    self.engine = engine
    path = store.directory.map {
      $0.appending(path: Self.fileName, directoryHint: .notDirectory).path(percentEncoded: false)
    }
    state = Mutex(nil)
    try withState { (_) throws in }
  }

  static let fileName = "text.sqlite"

  /// Takes in what the store holds and the index does not, and forgets the rest; searches do so by
  /// themselves.
  ///
  /// Costs in proportion to the change, and to all rows the first time and after a compaction.
  /// Syncs the store first (`EmbeddingStore.synchronize()`), so that no power failure takes from
  /// the store what the index knows. What was taken in stays when the call fails or the process ends.
  /// Ends early when the calling task is cancelled.
  ///
  /// - Returns: The snapshot whose rows the index holds.
  /// - Throws: `.closed` for a closed store; `.corrupt` when the store can not be read; `.cancelled`.
  @discardableResult
  public func catchUp() throws(StoreError) -> Snapshot {
    try withState { state in try self.catchUp(&state) }
  }

  /// Forgets everything and takes it in again. Costs in proportion to all text.
  public func rebuild() throws(StoreError) {
    try withState { state in
      if state.place == .readOnlyFile { try self.moveToMemory(&state) }
      try self.clear(&state)
      _ = try self.catchUp(&state)
    }
  }

  /// Puts what the index holds in order, so that the words of removed records leave the disk. SQLite does
  /// so by and by as more is taken in. Costs in proportion to the index.
  public func compact() throws(StoreError) {
    try withState { state in
      _ = try self.catchUp(&state)
      guard state.place == .file else { return }
      try state.table.compact()
    }
  }

  /// Whether the file is whole and holds exactly the rows of the store; reads all of it.
  ///
  /// What it finds wrong is put right by `rebuild()`.
  public func isIntact() throws(StoreError) -> Bool {
    try withState { state in
      let snapshot = try self.catchUp(&state)
      guard try state.table.problem() == nil else { return false }
      let difference = try snapshot.difference(from: try state.table.rowNumbers())
      return difference.gone.isEmpty && difference.new.isEmpty
    }
  }

  /// Runs `body` on the open index. When the file turns out to be damaged, it is made anew, once.
  func withState<Result>(
    _ body: (inout State) throws -> Result
  ) throws(StoreError) -> Result {
    do {
      return try state.withLock { state in
        var opened = try state ?? open()
        defer { state = opened }
        do {
          return try body(&opened)
        } catch let error as DatabaseError where error.isDamage {
          if store.isReadOnly {
            opened = try inMemory(try store.snapshot().storeIdentifier)
          } else {
            try deleteFile()
            opened = try open()
          }
          return try body(&opened)
        }
      }
    } catch let error as StoreError {
      throw error
    } catch let error as DatabaseError {
      throw error.storeError(path: path ?? "")
    } catch {
      throw StoreError(
        .inputOutput, "The text index can not be used: \(error.localizedDescription)", path: path)
    }
  }
}
