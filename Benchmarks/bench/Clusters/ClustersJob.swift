import EmbeddingClusters
import EmbeddingStores
import Foundation

/// Clusters real data, checks the clusters, times them beside other libraries' k-means, and writes
/// a page of albums for a person to judge.
struct ClustersJob {
  private let arguments: Arguments
  private let checks = Checks()

  /// Iterations of every library.
  private static let iterationCount = 20

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
    let folder = try DataSetLocation.folder(arguments, scratch: scratch.url)
    var own = [try timedClustering(store, seed: 0)]
    var peers: [KMeansLine] = []
    for peer in ["faiss-kmeans", "sklearn-kmeans"] {
      Console.progress("Timing \(peer)")
      peers.append(
        try environment.run(
          "clusters.py", on: folder, arguments,
          [
            "--clusters", "\(arguments.clusterCount)", "--iterations", "\(Self.iterationCount)",
            "--only", peer,
          ], reportTo: scratch.url.appending(path: "\(peer).json")))
      own.append(try timedClustering(store, seed: UInt64(own.count)))
    }
    Console.progress("Checking the clusters")
    for clustering in own.map(\.clustering) {
      try ClusteringCheck(data: data, checks: checks).check(clustering)
    }
    var report = Report(data: data.name, rows: data.rowCount, dimension: data.dimension)
    report.threads = arguments.threadCount
    report.figures = figures(own, peers)
    report.failedChecks = checks.failures
    report.printTable()
    for peer in peers { Console.line("  \(peer.peer) \(peer.version): \(peer.note)") }
    try JSONFile.write(report, to: arguments.json)
    try writeAlbums(store, own[0].clustering, data)
    try store.close()
    try checks.report()
  }

  private func timedClustering(
    _ store: EmbeddingStore, seed: UInt64
  ) throws -> (clustering: Clustering, seconds: Double) {
    Console.progress("Timing this library")
    let options = ClusteringOptions(
      count: .exactly(arguments.clusterCount), seed: seed,
      maximumIterationCount: Self.iterationCount)
    var clustering: Clustering?
    let seconds = try Stopwatch.seconds { clustering = try store.clusters(options) }
    guard let clustering else { throw BenchError("There is no clustering.") }
    return (clustering, seconds)
  }

  private func figures(
    _ own: [(clustering: Clustering, seconds: Double)], _ peers: [KMeansLine]
  ) -> [Figure] {
    let seconds = Latencies(own.map(\.seconds)).median
    let objective = own.map(\.clustering.inertia).max() ?? .nan
    let iterations = own.map(\.clustering.iterationCount).max() ?? 0
    var figures = [
      Figure("clusters", "clusters", Double(own[0].clustering.clusters.count), .clusters),
      Figure("iterations", "iterations", Double(iterations), .iterations),
      Figure("clusters_time", "time, median of \(own.count) seeds", seconds, .seconds),
      Figure(
        "clusters_objective", "objective, worst of \(own.count) seeds", objective, .shortfall),
    ]
    for peer in peers {
      let name = peer.peer.replacing("-", with: "_")
      figures += [
        Figure(
          "\(name)_time", "\(peer.peer): time", peer.seconds, .seconds,
          ratio: seconds / peer.seconds, to: "ours / theirs"),
        Figure(
          "\(name)_objective", "\(peer.peer): objective", peer.objective, .shortfall,
          ratio: objective / peer.objective, to: "ours / theirs"),
      ]
    }
    return figures
  }

  private func writeAlbums(
    _ store: EmbeddingStore, _ clustering: Clustering, _ data: DataSet
  ) throws {
    let page = AlbumPage(
      albums: try store.albums(of: clustering), title: data.name,
      images: arguments.images.map { URL(filePath: $0) })
    let url =
      arguments.html.map { URL(filePath: $0) }
      ?? FileManager.default.temporaryDirectory.appending(path: "albums-\(data.name).html")
    do {
      try Data(page.html.utf8).write(to: url)
    } catch {
      throw BenchError("\(url.path) cannot be written: \(error.localizedDescription)")
    }
    Console.line("Albums to look at: \(url.path)")
  }
}
