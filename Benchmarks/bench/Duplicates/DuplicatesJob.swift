import EmbeddingClusters
import EmbeddingStores
import Foundation

/// Finds near-duplicates in real data, compares them with all pairs, and times that beside a matrix
/// product of all rows with each other.
struct DuplicatesJob {
  private let arguments: Arguments
  private let checks = Checks()

  init(_ arguments: Arguments) {
    self.arguments = arguments.limitedInDebugBuild
  }

  func run() throws {
    try JSONFile.prepare(arguments.json)
    let scratch = try ScratchDirectory(below: arguments.directory)
    defer { scratch.remove() }
    let data = try DataSetLocation.load(arguments, scratch: scratch.url)
    let store = try StoredData(data, arguments, directory: scratch.url).store
    let environment = try PythonEnvironment.prepared()
    let score = try arguments.score ?? scoreOfFew(store, data)
    let before = try timedGroups(store, score)
    Console.progress("Timing numpy's product of all rows with each other")
    let file = scratch.url.appending(path: "pairs.json")
    let line: JoinedPairs.Line = try environment.run(
      "duplicates.py", on: try DataSetLocation.folder(arguments, scratch: scratch.url), arguments,
      ["--score", "\(score)"], reportTo: file)
    let joined = try JoinedPairs(line, besides: file)
    let after = try timedGroups(store, score)
    checks.expect(before.groups == after.groups, "two looks found different groups")
    check(before.groups, joined, score, data)
    let seconds = Latencies([before.seconds, after.seconds]).median
    var report = Report(data: data.name, rows: data.rowCount, dimension: data.dimension)
    report.threads = arguments.threadCount
    let members = before.groups.reduce(0) { $0 + $1.members.count }
    report.figures = [
      Figure("duplicates_score", "least score of a pair", Double(score), .score),
      Figure("duplicates_pairs", "pairs", Double(line.pairs), .pairs),
      Figure("duplicates_groups", "groups", Double(before.groups.count), .groups),
      Figure(
        "duplicates_members", "rows in them", Double(members), .rows,
        ratio: Double(members) / Double(data.rowCount), to: "all rows"),
      Figure("duplicates_time", "time", seconds, .seconds),
      Figure(
        "numpy_join_time", "numpy \(line.version), every pair once", line.seconds, .seconds,
        ratio: line.seconds / seconds, to: "ours"),
    ]
    report.failedChecks = checks.failures
    report.printTable()
    try JSONFile.write(report, to: arguments.json)
    try store.close()
    try checks.report()
  }

  /// A score that the nearest other row reaches for about one row of a hundred.
  private func scoreOfFew(_ store: EmbeddingStore, _ data: DataSet) throws -> Float {
    var scores: [Double] = []
    for row in stride(from: 0, to: data.rowCount, by: max(1, data.rowCount / 1_000)) {
      let nearest = try store.search(Query(.key(data.keys[row]), count: 1)).first
      if let nearest { scores.append(Double(nearest.score)) }
    }
    // Three decimals, so that the same score can be asked for again.
    return Float((Latencies(scores).percentile(99) * 1e3).rounded(.down) / 1e3)
  }

  private func timedGroups(
    _ store: EmbeddingStore, _ score: Float
  ) throws -> (groups: [DuplicateGroup], seconds: Double) {
    Console.progress("Timing this library")
    var groups: [DuplicateGroup] = []
    let seconds = try Stopwatch.seconds {
      groups = try store.duplicateGroups(DuplicateOptions(minimumScore: score))
    }
    return (groups, seconds)
  }

  /// Two rows are in one group when a certain pair connects them, and only when a possible one does.
  private func check(
    _ groups: [DuplicateGroup], _ joined: JoinedPairs, _ score: Float, _ data: DataSet
  ) {
    var own = Array(0..<data.rowCount)
    for group in groups {
      let rows = group.members.compactMap { data.rowsByKey[$0.key] }
      checks.expect(
        rows.count == group.members.count, "a group has members that the data has not")
      for row in rows { own[row] = rows.min() ?? row }
    }
    let certain = joined.connections(rowCount: data.rowCount, score: score, certain: true)
    let possible = joined.connections(rowCount: data.rowCount, score: score, certain: false)
    for row in 0..<data.rowCount {
      checks.expect(
        own[row] == own[certain[row]],
        "\(data.keys[row]) and \(data.keys[certain[row]]) are not in one group")
      checks.expect(
        possible[row] == possible[own[row]],
        "\(data.keys[row]) and \(data.keys[own[row]]) are in one group")
    }
  }
}
