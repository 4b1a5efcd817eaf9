import EmbeddingStores
import Foundation

/// Searches records by their words, checks the answers, and times everything beside SQLite's FTS5
/// used directly on the same texts: in a language with spaces, and in one without.
struct TextJob {
  private let arguments: Arguments
  private let rowCount: Int
  private let checks = Checks()

  init(_ arguments: Arguments) {
    self.arguments = arguments
    let count = arguments.rowCount ?? 200_000
    rowCount = BuildKind.isDebug ? min(count, BuildKind.debugRowCount) : count
  }

  func run() throws {
    try JSONFile.prepare(arguments.json)
    let scratch = try ScratchDirectory(below: arguments.directory)
    defer { scratch.remove() }
    var report = Report(
      data: "synthetic texts", rows: rowCount, dimension: TextRecords.space.dimension)
    for script in TextCorpus.Script.allCases {
      Console.progress("Making \(rowCount) texts (\(script.rawValue))")
      let records = TextRecords(TextCorpus(script), count: rowCount)
      let folder = scratch.url.appending(path: script.rawValue)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      var measurements = try TextMeasurements(records, checks, in: folder)
      try measurements.run()
      report.figures += measurements.figures
    }
    report.failedChecks = checks.failures
    report.printTable()
    try JSONFile.write(report, to: arguments.json)
    try checks.report()
  }
}
