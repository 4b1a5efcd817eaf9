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
  private let engine: String
  private let batchRowCount: Int
  private let state: Mutex<State?>

  private struct State: Sendable {
    var table: WordTable
    var place: Place
    /// The rows that the table held at a position.
    var mark: RowMark?
    var markPosition: WordTable.Position?
    var finder: RowFinder?
  }

  private enum Place: Sendable {
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

  /// The rows that words match, in a snapshot that the index has caught up with, and their ranking.
  /// Rows may be missing that the ranking's filter does not allow.
  func matches(
    _ expression: [UInt8],
    ranking: (Snapshot, RowFinder) throws(StoreError) -> OutsideRanking
  ) throws(StoreError) -> (Snapshot, OutsideRanking, [OutsideRanking.Entry]) {
    try withState { state in
      // Others may have taken in more before we could read. They can not do so for ever, since they
      // wait for the store to be written to.
      while true {
        let snapshot = try self.catchUp(&state)
        let ranking = try ranking(snapshot, self.finder(of: snapshot, &state))
        let table = state.table
        let entries = try table.database.reading { () -> [OutsideRanking.Entry]? in
          guard try table.position().changeNumber == snapshot.changeNumber else { return nil }
          return try table.matches(expression, where: ranking.makeAdmission())
        }
        if let entries { return (snapshot, ranking, entries) }
      }
    }
  }

  private func finder(of snapshot: Snapshot, _ state: inout State) throws -> RowFinder {
    if let known = state.finder, known.fits(snapshot) { return known }
    let finder = try RowFinder(for: snapshot)
    state.finder = finder
    return finder
  }

  /// Runs `body` on the open index. When the file turns out to be damaged, it is made anew, once.
  private func withState<Result>(
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

  private func open() throws -> State {
    let identifier = try store.snapshot().storeIdentifier
    guard let path else { return try inMemory(identifier) }
    do {
      return try open(path, identifier)
    } catch let error as DatabaseError where error.spoilsOpening && !store.isReadOnly {
      try deleteFile()
      return try open(path, identifier)
    } catch is DatabaseError {
      return try inMemory(identifier)
    }
  }

  private func open(_ path: String, _ identifier: [UInt8]) throws -> State {
    let database = try Database(path: path, mode: store.isReadOnly ? .read : .create)
    let table = try WordTable(database, engine: engine)
    switch try table.state(for: identifier) {
    case .usable: break
    case .outdated:
      if store.isReadOnly { return try inMemory(identifier) }
      try database.transaction {
        // Another process may have made it in the meantime.
        if try table.state(for: identifier) != .usable { try table.create(for: identifier) }
      }
    case .foreign:
      if store.isReadOnly { return try inMemory(identifier) }
      throw StoreError(
        .alreadyExists,
        "The file is a database of something else, at the place of the store's text index. Move it "
          + "elsewhere.", path: path)
    }
    return State(table: table, place: store.isReadOnly ? .readOnlyFile : .file)
  }

  private func inMemory(_ identifier: [UInt8]) throws -> State {
    let table = try WordTable(try Database(path: "", mode: .memory), engine: engine)
    try table.database.transaction { try table.create(for: identifier) }
    return State(table: table, place: .memory)
  }

  private func deleteFile() throws {
    guard let path, !store.isReadOnly else { return }
    for file in [path + "-journal", path] where FileManager.default.fileExists(atPath: file) {
      try FileManager.default.removeItem(atPath: file)
    }
  }
}

// MARK: - Following

extension TextIndex {
  /// Errors of the store that are no matter of writing.
  private static let concernsSearching: Set<StoreError.Code> = [
    .corrupt, .closed, .usedAfterFork, .cancelled,
  ]

  private func catchUp(_ state: inout State) throws -> Snapshot {
    var snapshot = try store.snapshot()
    var position = try state.table.position()
    if position.changeNumber > snapshot.changeNumber {
      // Another process knows more than we do.
      try store.refresh()
      snapshot = try store.snapshot()
    }
    if position.changeNumber > snapshot.changeNumber {
      // The store lost commits, and will give their numbers out again.
      if state.place == .readOnlyFile { try moveToMemory(&state) }
      try clear(&state)
      position = try state.table.position()
    }
    guard position.changeNumber != snapshot.changeNumber else {
      state.mark = snapshot.mark
      state.markPosition = position
      return snapshot
    }
    if state.place == .readOnlyFile { try moveToMemory(&state) }
    if state.place == .file {
      do {
        try store.synchronize()
        try takeIn(snapshot, &state)
        return snapshot
      } catch let error as DatabaseError where error.isDamage {
        throw error
      } catch let error {
        // A store that can be read can be searched.
        if let error = error as? StoreError, Self.concernsSearching.contains(error.code) {
          throw error
        }
        try moveToMemory(&state)
      }
    }
    try takeIn(snapshot, &state)
    return snapshot
  }

  private func takeIn(_ snapshot: Snapshot, _ state: inout State) throws {
    let table = state.table
    let (mark, markPosition) = (state.mark, state.markPosition)
    // Until all is taken in, only the table itself knows what it holds.
    state.mark = nil
    var expected = markPosition
    var difference: RowDifference?
    var isComplete = false
    while !isComplete {
      guard !Task.isCancelled else {
        throw StoreError(
          .cancelled, "The task was cancelled; what the text index took in so far stays.")
      }
      isComplete = try table.database.transaction {
        let position = try table.position()
        // Another process knows more by now; what it did is not undone.
        guard position.changeNumber <= snapshot.changeNumber else { return true }
        if position != expected { difference = nil }
        if difference == nil, let mark, position == markPosition {
          difference = try snapshot.difference(since: mark)
        }
        var rest =
          try difference ?? snapshot.difference(from: try table.rowNumbers())
        for number in rest.gone { try table.remove(number) }
        rest.gone = []
        for row in rest.new.prefix(batchRowCount) {
          let (text, labels) = try snapshot.words(ofRow: row.index)
          try table.add(row.number, text: text, labels: labels)
        }
        rest.new.removeFirst(min(batchRowCount, rest.new.count))
        difference = rest
        let next = WordTable.Position(
          changeNumber: rest.new.isEmpty ? snapshot.changeNumber : 0,
          stamp: .random(in: .min ... .max))
        try table.setPosition(next)
        expected = next
        return rest.new.isEmpty
      }
    }
    state.mark = snapshot.mark
    state.markPosition = expected
  }

  private func clear(_ state: inout State) throws {
    let identifier = try store.snapshot().storeIdentifier
    state.mark = nil
    try state.table.database.transaction { try state.table.create(for: identifier) }
  }

  /// Goes on with a copy of the file in memory, or with an empty table when it can not be read.
  private func moveToMemory(_ state: inout State) throws {
    let identifier = try store.snapshot().storeIdentifier
    var moved = try inMemory(identifier)
    let database = try Database(path: "", mode: .memory)
    if (try? database.copy(state.table.database)) != nil {
      let table = try WordTable(database, engine: engine)
      if case .usable? = try? table.state(for: identifier) { moved.table = table }
    }
    state = moved
  }
}
