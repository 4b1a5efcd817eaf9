import Foundation

/// Builds a store from the data, checks every answer, measures, and prints one table.
struct MainJob {
  private let arguments: Arguments

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() throws {
    try JSONFile.prepare(arguments.json)
    let scratch = try ScratchDirectory(below: arguments.directory)
    defer { scratch.remove() }
    let data = try DataSetLocation.load(arguments, scratch: scratch.url)
    Console.line("\(data.name): \(data.rowCount) rows of dimension \(data.dimension)")
    Console.line(data.source)
    var report = Report(data, arguments)
    let checks = Checks()
    var journey = StoreJourney(data, checks, url: scratch.url.appending(path: "checked"))
    try journey.run()
    var measurements = Measurements(data, arguments, directory: scratch.url)
    try measurements.run()
    report.figures = measurements.figures
    report.failedChecks = checks.failures
    report.printTable()
    try JSONFile.write(report, to: arguments.json)
    try checks.report()
  }
}
