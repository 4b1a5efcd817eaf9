import EmbeddingKernels
import EmbeddingStores
import Foundation

/// Times a store of plain records: how they are put, compacted, opened and searched.
struct Measurements {
  let data: DataSet
  let arguments: Arguments
  /// Where stores are made.
  let directory: URL
  var figures: [Figure] = []

  init(_ data: DataSet, _ arguments: Arguments, directory: URL) {
    self.data = data
    self.arguments = arguments
    self.directory = directory
  }

  /// Measures everything.
  mutating func run() throws {
    let url = directory.appending(path: "measured")
    Console.progress("Timing puts and plain writing")
    try measurePut(at: url)
    Console.progress("Timing compaction and opening")
    try measureCompaction(at: url)
    try measureOpening(at: url)
    try measureMemory(at: url)
    Console.progress("Timing searches")
    try measureSearches(at: url)
    Console.progress("Timing filters")
    try measureFilters(at: url)
    Console.progress("Timing many queries and many threads")
    try measureBatch(at: url)
    try measureThreads(at: url)
  }

  /// The queries that are timed.
  var queries: ArraySlice<[Float]> { data.queries.prefix(arguments.queryCount) }

  /// Bytes that a scan of every row reads.
  var scanByteCount: Double {
    Double(data.rowCount * RowBuffer.stride(forDimension: data.dimension))
  }

  /// A store that compacts only when told to.
  func makeStore(at url: URL) throws -> EmbeddingStore {
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    configuration.durability = .processKill
    return try EmbeddingStore(at: url, space: data.space, configuration: configuration)
  }

  /// The store at `url`, for searches on `threadCount` threads.
  func openStore(at url: URL, threadCount: Int) throws -> EmbeddingStore {
    var configuration = StoreConfiguration()
    configuration.searchThreadCount = threadCount
    return try EmbeddingStore(readingAt: url, configuration: configuration)
  }

  /// How long the searches for `queries` take.
  func time(
    _ store: EmbeddingStore, count: Int, filter: Filter = Filter(),
    where predicate: (@Sendable (Row) -> Bool)? = nil
  ) throws -> Latencies {
    try Latencies(of: queries) { query in
      let matches = try store.search(for: query, count: count, filter: filter, where: predicate)
      withExtendedLifetime(matches) {}
    }
  }
}
