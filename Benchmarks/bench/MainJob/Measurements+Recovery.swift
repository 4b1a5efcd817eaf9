import EmbeddingStores
import Foundation

extension Measurements {
  /// Opens the store whose rows are all in the journal, as after a kill before the first
  /// compaction, and reads the journal's bytes plain; in turns, and reports the medians.
  mutating func measureRecovery(at url: URL) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
    guard let name = names.first(where: { $0.hasPrefix("journal-") }) else {
      throw BenchError("\(url.path) holds no journal.")
    }
    let journal = url.appending(path: name)
    var openSeconds: [Double] = []
    var readSeconds: [Double] = []
    for _ in 0..<7 {
      openSeconds.append(
        try Stopwatch.seconds { withExtendedLifetime(try makeStore(at: url)) {} })
      readSeconds.append(
        try Stopwatch.seconds { withExtendedLifetime(try Data(contentsOf: journal)) {} })
    }
    let open = openSeconds.sorted()[3]
    figures.append(
      Figure(
        "recovery", "open with \(data.rowCount) puts in the journal", open * 1e3, .milliseconds,
        ratio: open / readSeconds.sorted()[3], to: "reading the journal's bytes plain"))
  }
}
