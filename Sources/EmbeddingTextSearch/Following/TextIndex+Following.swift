internal import EmbeddingStores

extension TextIndex {
  /// Errors of the store that are no matter of writing.
  private static let concernsSearching: Set<StoreError.Code> = [
    .corrupt, .closed, .usedAfterFork, .cancelled,
  ]

  /// Takes in what the store holds by now; the snapshot whose rows the table then holds.
  func catchUp(_ state: inout State) throws -> Snapshot {
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

  /// Forgets all rows.
  func clear(_ state: inout State) throws {
    let identifier = try store.snapshot().storeIdentifier
    state.mark = nil
    try state.table.database.transaction { try state.table.create(for: identifier) }
  }

  /// Goes on with a copy of the file in memory, or with an empty table when it can not be read.
  func moveToMemory(_ state: inout State) throws {
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
