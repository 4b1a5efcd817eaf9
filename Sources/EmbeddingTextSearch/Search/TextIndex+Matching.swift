internal import EmbeddingStores

extension TextIndex {
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
}
