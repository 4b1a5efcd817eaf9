internal import EmbeddingStores
internal import EmbeddingTestSupport

extension OracleHistory {
  func read(_ operation: OracleOperation) throws {
    switch operation {
    case .search(let query, let on):
      try reading(on) { reader, state in
        guard let ranking = ranking(query, state.model) else {
          return try expect(.notFound) { _ = try reader.search(query.asked) }
        }
        try check(reader.search(query.asked), query, ranking)
      }
    case .searchTogether(let queries, let on):
      try reading(on) { reader, state in
        let rankings = queries.map { ranking($0, state.model) }
        guard rankings.allSatisfy({ $0 != nil }) else {
          return try expect(.notFound) { _ = try reader.search(queries.map(\.asked)) }
        }
        let results = try reader.search(queries.map(\.asked))
        try claim(results.count == queries.count, "\(results.count) results")
        for (number, ranking) in rankings.enumerated() {
          try check(results[number], queries[number], ranking ?? [])
        }
      }
    case .read(let keys, let on):
      try reading(on) { reader, state in try check(keys, of: reader, state.model) }
    case .changes(let commitsAgo):
      let since = commitNumbers[max(0, commitNumbers.count - 1 - commitsAgo)]
      try checkChanges(since: since, of: store, state)
    default: break
    }
  }

  private func reading(
    _ on: OracleOperation.On, _ body: (any EmbeddingReader, OracleState) throws -> Void
  ) throws {
    switch on {
    case .store: try body(store, state)
    case .reader: try body(reader, readerState)
    case .snapshot: if let snapshot { try body(snapshot, snapshotState) }
    }
  }

  /// Everything that a reader has.
  func compare(_ reader: any EmbeddingReader, _ state: OracleState) throws {
    let count = try reader.count()
    try claim(count == state.model.count, "\(count) records, not \(state.model.count)")
    let keys = try reader.keys()
    let byKey = state.model.recordsByKey()
    try claim(keys.count == byKey.count, "\(keys.count) keys, not \(byKey.count)")
    for key in keys {
      let records = try reader.records(for: key)
      let expected = byKey[Array(key.utf8), default: []]
      try claim(
        !expected.isEmpty && records == expected, "the records \(records), not \(expected)")
    }
    try checkChanges(since: 0, of: reader, state)
  }

  private func check(_ keys: [String], of reader: any EmbeddingReader, _ model: StoreModel) throws {
    let missing = try reader.missing(from: keys)
    let stored = model.keys
    try claim(
      missing.map { Array($0.utf8) } == keys.map { Array($0.utf8) }.filter { !stored.contains($0) },
      "missing are \(missing)")
    for key in keys {
      let contains = try reader.contains(key)
      try claim(contains == stored.contains(Array(key.utf8)), "contains answers \(contains)")
      let parts: [UInt16] = [0, 1, 2, .max]
      let expected = parts.compactMap { model[key, $0] }
      let records = try reader.records(for: key)
      try claim(records == expected, "the records \(records), not \(expected)")
      let first = try reader.record(for: key)
      try claim(first == model[key, 0], "the record \(String(describing: first))")
      let vector = try reader.vector(for: key, part: .max)
      try claim(vector == model[key, .max]?.vector, "another vector of \(key)")
    }
  }

  private func checkChanges(
    since number: UInt64, of reader: any EmbeddingReader, _ state: OracleState
  ) throws {
    let rows = try reader.rows(changedSince: number)
    let identities = Set(rows.map { StoreModel.Identity($0.key, $0.part) })
    try claim(
      rows.count == identities.count && identities == state.identities(changedSince: number),
      "other rows changed since \(number): \(rows)")
    try claim(
      zip(rows, rows.dropFirst()).allSatisfy { $0.changeNumber < $1.changeNumber },
      "changes out of order")
  }
}
