import EmbeddingStores
import Foundation

/// Exports, imports, archives and restores a store of real data, checks what comes back, and times it
/// beside numpy and beside copying files.
struct ExchangeJob {
  private let arguments: Arguments
  private let checks = Checks()

  init(_ arguments: Arguments) {
    self.arguments = arguments.limitedInDebugBuild
  }

  func run() throws {
    try JSONFile.prepare(arguments.json)
    let scratch = try ScratchDirectory(below: arguments.directory)
    defer { scratch.remove() }
    let folder = try DataSetLocation.folder(arguments, scratch: scratch.url)
    let data = try DataSetLocation.load(arguments, scratch: scratch.url)
    let store = try StoredData(data, arguments, directory: scratch.url).store
    let environment = try PythonEnvironment.prepared()
    let arrays = ArrayMeasurements(store, data, checks, in: scratch.url)
    var report = Report(data: data.name, rows: data.rowCount, dimension: data.dimension)
    report.figures = try arrays.figures { array, records in
      try environment.run(
        "exchange.py", on: folder, arguments, ["--array", array.path, "--records", records.path],
        reportTo: scratch.url.appending(path: "numpy.json"))
    }
    report.figures += try ArchiveMeasurements(store, data, checks, in: scratch.url).figures()
    report.failedChecks = checks.failures
    report.printTable()
    try JSONFile.write(report, to: arguments.json)
    try store.close()
    try checks.report()
  }
}
