import EmbeddingStores
import Foundation

extension Measurements {
  /// Single queries, as a share of the bandwidth measured before and after them.
  mutating func measureSearches(at url: URL) throws {
    let store = try openStore(at: url, threadCount: arguments.threadCount)
    var heap = Bandwidth()
    var mapped = Bandwidth()
    var latencies: [(count: Int, Latencies)] = []
    let mainFile = try mainFile(of: url)
    for count in [10, 100] {
      heap.measure()
      try mapped.measure(mapping: mainFile)
      latencies.append((count, try time(store, count: count)))
    }
    heap.measure()
    try mapped.measure(mapping: mainFile)
    figures.append(
      Figure(
        "read_bandwidth", "reading 256 MB of memory, one thread", heap.median / 1e9,
        .gigabytesPerSecond))
    figures.append(
      Figure(
        "read_bandwidth_mapped", "reading the mapped main file, one thread", mapped.median / 1e9,
        .gigabytesPerSecond))
    for (count, times) in latencies {
      figures.append(
        Figure(
          "search_k\(count)_p50", "search, k = \(count), p50", times.median * 1e3, .milliseconds,
          ratio: scanByteCount / times.median / heap.median, to: "the speed of reading memory"))
      figures.append(
        Figure(
          "search_k\(count)_p99", "search, k = \(count), p99", times.percentile(99) * 1e3,
          .milliseconds))
    }
  }

  private func mainFile(of store: URL) throws -> URL {
    let files = try FileManager.default.contentsOfDirectory(
      at: store, includingPropertiesForKeys: nil)
    guard let file = files.first(where: { $0.lastPathComponent.hasPrefix("main-") }) else {
      throw BenchError("\(store.path) has no main file.")
    }
    return file
  }

  /// Closures that admit 1, 10 and 50 % of the keys, and a range of timestamps that admits 1 %.
  mutating func measureFilters(at url: URL) throws {
    let store = try openStore(at: url, threadCount: arguments.threadCount)
    for percent in [1, 10, 50] {
      let unfiltered = try time(store, count: 10)
      let times = try time(store, count: 10) {
        KeySample.admits($0.key, percent: UInt64(percent))
      }
      figures.append(
        Figure(
          "closure_\(percent)_p50", "closure admits \(percent) %, k = 10, p50",
          times.median * 1e3, .milliseconds, ratio: times.median / unfiltered.median,
          to: "the search without"))
    }
    guard let (range, share) = data.timestampRange(admitting: 0.01) else {
      Console.progress("The data has no timestamps, so their filter is not timed.")
      return
    }
    let unfiltered = try time(store, count: 10)
    let times = try time(store, count: 10, filter: Filter(timestamps: range))
    figures.append(
      Figure(
        "timestamps_1_p50",
        "timestamps admit \(Decimals.text(share * 100, places: 2)) %, k = 10, p50",
        times.median * 1e3, .milliseconds, ratio: times.median / unfiltered.median,
        to: "the search without"))
  }

  /// Up to 100 queries in one call, and the same one by one.
  mutating func measureBatch(at url: URL) throws {
    let store = try openStore(at: url, threadCount: arguments.threadCount)
    let group = Array(data.queries.prefix(100))
    let seconds = try secondsForBatch(group, store)
    let single = try time(store, count: 10)
    let perSecond = Double(group.count) / seconds
    figures.append(
      Figure(
        "batch", "\(group.count) queries at once, k = 10", perSecond, .queriesPerSecond,
        ratio: perSecond * single.median, to: "one by one"))
  }

  func secondsForBatch(_ queries: [[Float]], _ store: EmbeddingStore) throws -> Double {
    withExtendedLifetime(try store.search(for: queries, count: 10)) {}
    return try Stopwatch.medianSeconds(runs: 5) {
      withExtendedLifetime(try store.search(for: queries, count: 10)) {}
    }
  }

  /// One thread against two, and against one per core.
  mutating func measureThreads(at url: URL) throws {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    for threadCount in Set([2, cores]).sorted() where threadCount > 1 && threadCount <= cores {
      let one = try time(try openStore(at: url, threadCount: 1), count: 10)
      let many = try time(try openStore(at: url, threadCount: threadCount), count: 10)
      figures.append(
        Figure(
          "threads_\(threadCount)_p50", "search on \(threadCount) threads, k = 10, p50",
          many.median * 1e3, .milliseconds, ratio: one.median / many.median,
          to: "as fast as one thread"))
      var oneBandwidth = Bandwidth()
      var manyBandwidth = Bandwidth()
      oneBandwidth.measure()
      manyBandwidth.measure(threadCount: threadCount)
      figures.append(
        Figure(
          "read_bandwidth_\(threadCount)_threads", "reading memory on \(threadCount) threads",
          manyBandwidth.median / 1e9, .gigabytesPerSecond,
          ratio: manyBandwidth.median / oneBandwidth.median, to: "one thread"))
    }
  }
}

extension DataSet {
  /// Whole months whose share of all rows is nearest to `share`, and that share; nil without
  /// timestamps.
  fileprivate func timestampRange(
    admitting share: Double
  ) -> (range: Range<Date>, share: Double)? {
    var counts: [Date: Int] = [:]
    for timestamp in timestamps.compactMap(\.self) { counts[timestamp, default: 0] += 1 }
    let months = counts.sorted { $0.key < $1.key }
    var best: (range: Range<Date>, share: Double)?
    for first in months.indices {
      var count = 0
      for last in first..<months.count {
        count += months[last].value
        let found = Double(count) / Double(rowCount)
        if abs(found - share) < abs((best?.share ?? .infinity) - share) {
          // Timestamps are starts of months, so a day more takes in the last one.
          best = (months[first].key..<months[last].key.addingTimeInterval(86_400), found)
        }
        if found > share { break }
      }
    }
    return best
  }
}
