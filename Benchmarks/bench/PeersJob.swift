import EmbeddingStores
import Foundation

/// Times other libraries and this one on the same rows and queries in the same run, and prints
/// them side by side.
struct PeersJob {
  private let arguments: Arguments

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() throws {
    let scratch = try ScratchDirectory(below: arguments.directory)
    defer { scratch.remove() }
    let folder = try DataSetLocation.folder(arguments)
    let data = try DataSetLocation.load(arguments, scratch: scratch.url)
    let environment = try PythonEnvironment.prepared()
    var own = try OwnMeasurement(data, arguments, directory: scratch.url)
    // Before the peers and after them: the machine may be busier at one end than at the other.
    Console.progress("Timing this library")
    try own.measure()
    let peers = try environment.runPeers(
      on: folder, arguments, queryCount: own.queryCount,
      reportTo: scratch.url.appending(path: "peers.json"))
    Console.progress("Timing this library again")
    try own.measure()
    let comparison = PeerComparison(own: own.line(), peers: peers)
    Console.line("\n" + Report(data, arguments).summary + "\n")
    comparison.printTable()
    if let path = arguments.json {
      try Report.encoder.encode(comparison).write(to: URL(filePath: path))
    }
    try own.checks.report()
  }
}
