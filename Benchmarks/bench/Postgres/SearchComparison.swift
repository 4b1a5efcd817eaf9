import EmbeddingPostgres
import EmbeddingStores

/// The same queries here, there by comparing all rows, and there by the graph.
struct SearchComparison {
  private(set) var figures: [Figure] = []

  init(
    _ vectors: some Collection<[Float]>, _ selectivity: Selectivity, _ store: EmbeddingStore,
    _ table: PostgresTable, _ checks: Checks
  ) async throws {
    var (here, exact, graph): ([Double], [Double], [Double]) = ([], [], [])
    var (found, wanted, equalCount) = (0, 0, 0)
    for vector in vectors {
      let query = Query(.vector(vector), count: 10, filter: selectivity.filter)
      let own = try await Self.timed(&here) { try await store.search(query) }
      let compared = try await Self.timed(&exact) {
        try await table.search(query, by: .exact)
      }
      let quick = try await Self.timed(&graph) { try await table.search(query, by: .graph()) }
      if compared == own { equalCount += 1 }
      checks.expect(quick.count == own.count, "the graph gave \(quick.count) of \(own.count) rows")
      found += Set(quick.map(\.key)).intersection(own.map(\.key)).count
      wanted += own.count
    }
    let recall = Double(found) / Double(wanted)
    checks.expect(
      equalCount == vectors.count,
      "\(selectivity.rawValue): \(equalCount) of \(vectors.count) exact searches agree")
    checks.expect(recall >= 0.95, "\(selectivity.rawValue): recall \(recall)")
    let own = Latencies(here).median
    for (name, label, seconds) in [
      ("device", "on the device", here), ("exact", "there, comparing all", exact),
      ("graph", "there, by the graph", graph),
    ] {
      let median = Latencies(seconds).median
      figures.append(
        Figure(
          "search_\(name)_\(selectivity)", "\(selectivity.rawValue): \(label), p50", median * 1e3,
          .milliseconds, ratio: name == "device" ? nil : median / own, to: "the device"))
    }
    figures.append(
      Figure(
        "recall_\(selectivity)", "\(selectivity.rawValue): recall@10 of the graph", recall * 100,
        .percent))
  }

  private static func timed(
    _ seconds: inout [Double], _ search: () async throws -> [Match]
  ) async throws -> [Match] {
    let clock = ContinuousClock.now
    let matches = try await search()
    seconds.append(Stopwatch.seconds(clock.duration(to: .now)))
    return matches
  }
}
