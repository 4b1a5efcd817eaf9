import EmbeddingStores
import Foundation

extension Measurements {
  /// Single queries that scan every row, as a share of the bandwidth measured between them.
  mutating func measureSearches(at url: URL) throws {
    let store = try openStore(at: url, threadCount: arguments.threadCount)
    let memory = Bandwidth()
    let file = try Bandwidth(mapping: try mainFile(of: url))
    // Reading memory in between evicts rows from the cache, which matters where they fit in.
    let groupCount = scanByteCount > 64e6 ? 2 : 20
    var latencies: [(count: Int, times: Latencies)] = []
    for count in [10, 100] {
      let search = TimedSearch(store: store, count: count)
      var times = Latencies([])
      for group in queries.batches(of: groupCount) {
        memory.sample()
        file.sample()
        // Warms up the caches as well.
        times = times.adding(try Latencies(of: group, search.run))
      }
      latencies.append((count, times))
    }
    figures += [
      Figure(
        "read_bandwidth", "reading 256 MB of memory", memory.median / 1e9, .gigabytesPerSecond),
      Figure(
        "read_bandwidth_mapped", "reading the mapped main file", file.median / 1e9,
        .gigabytesPerSecond),
    ]
    for (count, times) in latencies { add(count, times, memory, file) }
  }

  private mutating func add(
    _ count: Int, _ times: Latencies, _ memory: Bandwidth, _ file: Bandwidth
  ) {
    let (name, label) = ("search_k\(count)", "scan, k = \(count)")
    figures += [
      Figure(
        name + "_p50", label + ", p50", times.median * 1e3, .milliseconds,
        ratio: scanByteCount / times.median / memory.median, to: "the speed of reading memory"),
      Figure(name + "_p99", label + ", p99", times.percentile(99) * 1e3, .milliseconds),
      Figure(
        name + "_fastest", label + ", fastest", times.fastest * 1e3, .milliseconds,
        ratio: scanByteCount / times.fastest / file.fastest,
        to: "the fastest reading of the file"),
    ]
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
    var names = ["unfiltered"]
    var labels = ["no filter"]
    var searches = [TimedSearch(store: store)]
    for percent in [1, 10, 50] as [UInt64] {
      names.append("closure_\(percent)")
      labels.append("closure admits \(percent) %")
      searches.append(
        TimedSearch(store: store) { KeySample.admits($0.key, percent: percent) })
    }
    if let (range, share) = data.timestampRange(admitting: 0.01) {
      names.append("timestamps_1")
      labels.append("timestamps admit \(Decimals.text(share * 100, places: 2)) %")
      searches.append(TimedSearch(store: store, filter: Filter(timestamps: range)))
    } else {
      Console.progress("The data has no timestamps, so their filter is not timed.")
    }
    let times = try searches.time(queries)
    for index in searches.indices.dropFirst() {
      figures.append(
        Figure(
          names[index] + "_p50", labels[index] + ", k = 10, p50", times[index].median * 1e3,
          .milliseconds, ratio: times[index].median / times[0].median,
          to: "the search without"))
    }
  }

  /// Up to 100 queries in one call, and the same one by one.
  mutating func measureBatch(at url: URL) throws {
    let store = try openStore(at: url, threadCount: arguments.threadCount)
    let group = Array(data.queries.prefix(100))
    let processorStart = clock()
    let clockStart = ContinuousClock.now
    let perSecond = Double(group.count) / (try secondsForBatch(group, store))
    let wall = Stopwatch.seconds(ContinuousClock.now - clockStart)
    let processor = Double(clock() - processorStart) / Double(CLOCKS_PER_SEC)
    let single = try Latencies(of: queries, TimedSearch(store: store).run)
    figures.append(
      Figure(
        "batch", "\(group.count) queries at once, k = 10", perSecond, .queriesPerSecond,
        ratio: perSecond * single.median, to: "one by one"))
    figures.append(
      Figure("batch_cores", "cores busy meanwhile", processor / wall, .times))
  }

  func secondsForBatch(_ queries: [[Float]], _ store: EmbeddingStore) throws -> Double {
    withExtendedLifetime(try store.search(for: queries, count: 10)) {}
    return try Stopwatch.medianSeconds(runs: 7) {
      withExtendedLifetime(try store.search(for: queries, count: 10)) {}
    }
  }

  /// One thread against two, and against one per core.
  mutating func measureThreads(at url: URL) throws {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    for threadCount in Set([2, cores]).sorted() where (2...cores).contains(threadCount) {
      let searches = [
        TimedSearch(store: try openStore(at: url, threadCount: 1)),
        TimedSearch(store: try openStore(at: url, threadCount: threadCount)),
      ]
      let times = try searches.time(queries)
      figures.append(
        Figure(
          "threads_\(threadCount)_p50", "search on \(threadCount) threads, k = 10, p50",
          times[1].median * 1e3, .milliseconds, ratio: times[0].median / times[1].median,
          to: "as fast as one thread"))
      let one = Bandwidth()
      let many = Bandwidth()
      for _ in 0..<15 {
        one.sample()
        many.sample(threadCount: threadCount)
      }
      figures.append(
        Figure(
          "read_bandwidth_\(threadCount)_threads", "reading memory on \(threadCount) threads",
          many.median / 1e9, .gigabytesPerSecond, ratio: many.median / one.median,
          to: "one thread"))
    }
  }
}
