import EmbeddingStores
import Foundation

extension Measurements {
  /// Searches that read compact codes against scans of every row, in turns of some queries each, and
  /// what they read.
  mutating func measureCascade(at url: URL, against scannedURL: URL) throws {
    let coded = try openStore(at: url, threadCount: arguments.threadCount)
    let scanned = try openStore(at: scannedURL, threadCount: arguments.threadCount)
    guard try coded.statistics().compactCodes == .present else {
      Console.progress("The store is too small for compact codes, so every search is a scan.")
      return
    }
    for count in [10, 100] {
      let times = try [coded, scanned].map { TimedSearch(store: $0, count: count) }
        .timeInGroups(queries)
      let meter = SearchMeter()
      for query in queries {
        _ = try coded.search([Query(.vector(query), count: count)], meter: meter)
      }
      addCascade(count, times, meter.work)
    }
  }

  /// Searches for which codes are of little or no use.
  mutating func measureWorstCases(at url: URL, against scannedURL: URL) throws {
    let stores = try [url, scannedURL].map { try openStore(at: $0, threadCount: 1) }
    guard try stores[0].statistics().compactCodes == .present else { return }
    var cases: [(name: String, label: String, search: TimedSearch)] = [
      ("k10000", "search, k = 10,000", TimedSearch(store: stores[0], count: 10_000)),
      (
        "closure_01", "closure admits .1 %, k = 10",
        TimedSearch(store: stores[0]) { KeySample.admits($0.key, perMille: 1) }
      ),
    ]
    if let (range, _) = data.timestampRange(admitting: 0.001) {
      cases.append(
        (
          "timestamps_01", "timestamps admit .1 %, k = 10",
          TimedSearch(store: stores[0], filter: Filter(timestamps: range))
        ))
    }
    for (name, label, search) in cases {
      let times = try stores.map { store in
        var search = search
        search.store = store
        return search
      }.timeInGroups(queries.prefix(40))
      figures.append(
        Figure(
          "worst_" + name, label + ", p50", times[0].median * 1e3, .milliseconds,
          ratio: times[0].median / times[1].median, to: "the scan's time"))
    }
  }

  private mutating func addCascade(_ count: Int, _ times: [Latencies], _ work: SearchWork) {
    let (name, label) = ("cascade_k\(count)", "search by codes, k = \(count)")
    let rows = Double(data.rowCount)
    let perQuery = 1 / Double(queries.count)
    figures += [
      Figure(
        name + "_p50", label + ", p50", times[0].median * 1e3, .milliseconds,
        ratio: times[1].median / times[0].median, to: "as fast as the scan"),
      Figure(
        name + "_p99", label + ", p99", times[0].percentile(99) * 1e3, .milliseconds,
        ratio: times[1].percentile(99) / times[0].percentile(99), to: "as fast as the scan"),
      Figure(
        name + "_bytesPerRow", label + ", bytes read per row",
        Double(work.byteCount) * perQuery / rows, .bytes,
        ratio: Double(work.byteCount) * perQuery / scanByteCount, to: "those of the scan"),
      Figure(
        name + "_basisBytesPerRow", "of which to rotate the query",
        Double(work.basisByteCount) * perQuery / rows, .bytes),
    ]
    for stage in 1..<5 where work.codedRowCounts[stage] > 0 {
      figures.append(
        Figure(
          name + "_stage\(stage + 1)", "rows that reach stage \(stage + 1)",
          Double(work.codedRowCounts[stage]) * perQuery / rows * 100, .percent))
    }
    figures.append(
      Figure(
        name + "_scored", "rows scored from Float16",
        Double(work.scoredRowCount) * perQuery, .rows))
  }

  /// Copies the store at `url` without its compact codes.
  func copyWithoutCodes(of url: URL, to copy: URL) throws {
    var configuration = StoreConfiguration()
    configuration.writesCompactCodes = false
    let store = try EmbeddingStore(readingAt: url, configuration: configuration)
    try store.backup(to: copy)
    try store.close()
  }
}
