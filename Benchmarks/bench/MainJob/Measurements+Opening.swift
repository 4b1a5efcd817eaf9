import EmbeddingStores
import Foundation

extension Measurements {
  private static let smallRowCount = 8_192

  /// Opens the compacted store, and one of 8,192 rows beside it.
  mutating func measureOpening(at url: URL) throws {
    let seconds = try secondsToOpen(url)
    guard data.rowCount > Self.smallRowCount else {
      figures.append(Figure("open", "open", seconds * 1e3, .milliseconds))
      return
    }
    let smallURL = directory.appending(path: "small")
    let small = try makeStore(at: smallURL)
    try small.put((0..<Self.smallRowCount).map(data.plainRecord))
    try small.compact()
    try small.close()
    let smallSeconds = try secondsToOpen(smallURL)
    figures.append(
      Figure(
        "open", "open", seconds * 1e3, .milliseconds, ratio: seconds / smallSeconds,
        to: "opening 8,192 rows"))
  }

  private func secondsToOpen(_ url: URL) throws -> Double {
    try Stopwatch.medianSeconds(runs: 21) {
      withExtendedLifetime(try makeStore(at: url)) {}
    }
  }

  /// What an open store and 100 searches add to the process's own memory.
  mutating func measureMemory(at url: URL) throws {
    var store: EmbeddingStore?
    let opening = try PrivateMemory.growth {
      store = try openStore(at: url, threadCount: arguments.threadCount)
    }
    guard let store, let opening else {
      Console.progress("This system does not say how much memory is a process's own.")
      return
    }
    let queries = Array(data.queries.prefix(100))
    let searching = try PrivateMemory.growth {
      for query in queries { _ = try store.search(for: query, count: 100) }
    }
    let together = try PrivateMemory.growth {
      _ = try store.search(for: queries, count: 10)
    }
    add("memory_open", "private memory, opening adds", opening)
    add("memory_search", "private memory, 100 searches add", searching)
    add("memory_batch", "private memory, 100 queries at once add", together)
  }

  private mutating func add(_ name: String, _ label: String, _ byteCount: Int?) {
    guard let byteCount else { return }
    figures.append(Figure(name, label, Double(byteCount) / 1e6, .megabytes))
  }
}
