import EmbeddingKernels
import EmbeddingStores
import Foundation

/// Times a store of plain records, as an app has it by default: how they are put, compacted,
/// opened and searched, with and without compact codes.
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
    Console.progress("Timing recovery, compaction and opening")
    try measureRecovery(at: url)
    try measureCompaction(at: url)
    try measureOpening(at: url)
    try measureMemory(at: url)
    Console.progress("Timing searches")
    let scanned = directory.appending(path: "scanned")
    try copyWithoutCodes(of: url, to: scanned)
    try measureSearches(at: scanned)
    try measureCascade(at: url, against: scanned)
    try measureWorstCases(at: url, against: scanned)
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

  /// A space as apps have it by default, which normalises what is put.
  private var normalizingSpace: EmbeddingSpace {
    EmbeddingSpace(model: data.name, dimension: data.dimension)
  }

  /// A store that compacts only when told to.
  func makeStore(at url: URL, space: EmbeddingSpace? = nil) throws -> EmbeddingStore {
    var configuration = StoreConfiguration()
    configuration.compaction = .manual
    configuration.durability = .processKill
    let space = space ?? normalizingSpace
    return try EmbeddingStore(at: url, space: space, configuration: configuration)
  }

  /// The store at `url`, for searches on `threadCount` threads.
  func openStore(at url: URL, threadCount: Int) throws -> EmbeddingStore {
    var configuration = StoreConfiguration()
    configuration.searchThreadCount = threadCount
    return try EmbeddingStore(readingAt: url, configuration: configuration)
  }
}

/// One way of searching a store, to be timed.
struct TimedSearch {
  var store: EmbeddingStore
  var count = 10
  var filter = Filter()
  var predicate: (@Sendable (Row) -> Bool)?

  func run(_ query: [Float]) throws {
    let matches = try store.search(for: query, count: count, filter: filter, where: predicate)
    withExtendedLifetime(matches) {}
  }
}

extension [TimedSearch] {
  /// Times all of them in turns.
  func time(_ queries: some Collection<[Float]>) throws -> [Latencies] {
    try Latencies.inTurns(queries, alternatives: count) { try self[$0].run($1) }
  }

  /// Times all of them in turns of 20 queries each, warmed up at the beginning of a turn: after
  /// another's turn the caches hold what that one reads.
  func timeInGroups(_ queries: ArraySlice<[Float]>) throws -> [Latencies] {
    var times = map { _ in Latencies([]) }
    for group in queries.batches(of: 20) {
      for index in indices {
        times[index] = times[index].adding(try Latencies(of: group, self[index].run))
      }
    }
    return times
  }
}
