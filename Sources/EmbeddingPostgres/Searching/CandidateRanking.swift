internal import EmbeddingStores

/// Puts rows that a server found in the order of a search on the device: a store in memory holds them, bit
/// for bit, and is searched. Scores are then those of the device, whatever the server computes with.
struct CandidateRanking {
  private let store: EmbeddingStore
  private let query: Query

  /// - Parameter query: Its filter has been applied by the server.
  /// - Throws: What a search on the device throws for such a query.
  init(_ query: Query, in space: EmbeddingSpace, ownRow: Record?) throws(PostgresError) {
    if query.predicate != nil {
      throw PostgresError(
        .unsupportedQuery,
        "A closure can not run on a server. Use the query's filter, or look through the matches.")
    }
    var configuration = StoreConfiguration()
    configuration.searchThreadCount = 1
    var ranked = query
    ranked.filter = Filter()
    let store = try asPostgresError { () throws(StoreError) in
      let store = try EmbeddingStore(inMemory: space, configuration: configuration)
      if let ownRow { try store.apply([ownRow], removing: []) }
      // Finds what is wrong with a query before anything is sent.
      _ = try store.search(ranked)
      return store
    }
    let (total, overflow) = query.count.addingReportingOverflow(query.offset)
    ranked.count = overflow ? .max : total
    ranked.offset = 0
    self.query = ranked
    self.store = store
  }

  /// How many matches are needed, those that are left out for paging included.
  var count: Int { query.count }

  /// The best of the candidates.
  func matches(_ candidates: [Record]) throws(PostgresError) -> [Match] {
    try asPostgresError { () throws(StoreError) in
      try store.apply(candidates, removing: [])
      return try store.search(query)
    }
  }
}
