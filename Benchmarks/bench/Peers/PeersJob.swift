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
    try JSONFile.prepare(arguments.json)
    let scratch = try ScratchDirectory(below: arguments.directory)
    defer { scratch.remove() }
    let folder = try DataSetLocation.folder(arguments, scratch: scratch.url)
    let data = try DataSetLocation.load(arguments, scratch: scratch.url)
    let environment = try PythonEnvironment.prepared()
    let names = try chosenPeers(environment)
    var own = try OwnMeasurement(data, arguments, directory: scratch.url)
    try own.measure()
    var peers: [PeerComparison.Entry] = []
    for name in names {
      let lines = try environment.run(
        peer: name, on: folder, arguments, queryCount: own.queryCount,
        reportTo: scratch.url.appending(path: "peers.json"))
      // Around each peer: the machine may be busier at one time than at another.
      try own.measure()
      let beside = own.lineOfLastRounds()
      peers += lines.map { PeerComparison.Entry(peer: $0, ownBeside: beside) }
    }
    let comparison = PeerComparison(own: own.line(), peers: peers)
    Console.line("\n" + Report(data, arguments).summary + "\n")
    comparison.printTable()
    try JSONFile.write(comparison, to: arguments.json)
    try own.checks.report()
  }

  private func chosenPeers(_ environment: PythonEnvironment) throws -> [String] {
    let known = try environment.peerNames()
    guard let only = arguments.only else { return known }
    let chosen = only.split(separator: ",").map(String.init)
    for name in chosen where !known.contains(name) {
      throw ArgumentError(
        "There is no peer \"\(name)\"; --only takes \(known.joined(separator: ", ")).")
    }
    return chosen
  }
}
