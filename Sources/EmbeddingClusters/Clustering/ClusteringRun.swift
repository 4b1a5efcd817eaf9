internal import EmbeddingStores

/// One clustering of one snapshot, from options to clusters with members.
struct ClusteringRun {
  let snapshot: Snapshot
  let options: ClusteringOptions
  let cancellation: WorkCancellation

  static let cancelledMessage = "The clustering was cancelled."

  func clustering(
    _ report: (ClusteringProgress) -> Void
  ) throws(StoreError) -> Clustering {
    try check()
    let rows = LiveRows(snapshot)
    guard rows.count > 0 else { return empty }
    let (count, suggestion) = try clusterCount(rows)
    let result = try withoutActuallyEscaping(report) { (report) throws(StoreError) in
      try run(rows, count, report)
    }
    let (clusters, inertia) = try clusters(rows, result)
    let ordered = clusters.enumerated().sorted {
      $0.element.members.count != $1.element.members.count
        ? $0.element.members.count > $1.element.members.count : $0.offset < $1.offset
    }
    return Clustering(
      clusters: ordered.enumerated().map { id, cluster in
        Cluster(id: id, centroid: cluster.element.centroid, members: cluster.element.members)
      },
      inertia: inertia, iterationCount: result.iterationCount, isConverged: result.isConverged,
      suggestion: suggestion, space: snapshot.space, changeNumber: snapshot.changeNumber)
  }

  func assigning(to set: CentroidSet) throws(StoreError) -> Clustering {
    try check(set)
    try cancellation.checkTask()
    let rows = LiveRows(snapshot)
    let centroids = set.centroids.flatMap { $0 }
    let assignment = try rows.assignment(
      to: centroids, scoring: true, cancellation: cancellation)
    let (clusters, inertia) = try clusters(
      rows,
      KMeans.Outcome(
        centroids: centroids, assignment: assignment, iterationCount: 0, isConverged: false))
    return Clustering(
      clusters: zip(set.ids, clusters)
        .map { Cluster(id: $0, centroid: $1.centroid, members: $1.members) }
        .sorted {
          $0.members.count != $1.members.count
            ? $0.members.count > $1.members.count : $0.id < $1.id
        },
      inertia: inertia, iterationCount: 0, isConverged: false, suggestion: nil,
      space: snapshot.space, changeNumber: snapshot.changeNumber)
  }

  private var empty: Clustering {
    Clustering(
      clusters: [], inertia: 0, iterationCount: 0, isConverged: true, suggestion: nil,
      space: snapshot.space, changeNumber: snapshot.changeNumber)
  }

  private func clusterCount(_ rows: LiveRows) throws(StoreError) -> (Int, CountSuggestion?) {
    switch options.count {
    case .exactly(let count): return (count, nil)
    case .suggested(let bounds):
      let suggestion = try suggestedCount(rows, bounds)
      return (suggestion.count, suggestion)
    }
  }

  private func run(
    _ rows: LiveRows, _ count: Int, _ report: @escaping (ClusteringProgress) -> Void
  ) throws(StoreError) -> KMeans.Outcome {
    let isFlat = count <= KMeans.largestFlatCount || rows.count <= KMeans.largestFlatCount
    // Parts of a hierarchy are as many steps as iterations, so that the total is known at once.
    let iterations = options.maximumIterationCount
    var progress = ClusteringProgress(totalStepCount: (isFlat ? 1 : 2) * iterations + 1)
    report(progress)
    let kMeans = KMeans(
      rows: rows, maximumIterationCount: iterations, cancellation: cancellation
    ) { iteration, changed in
      progress.completedStepCount = iteration
      progress.changedRowCount = changed
      report(progress)
    }
    let result: KMeans.Outcome
    if isFlat {
      result = try kMeans.run(count: count, seed: options.seed)
    } else {
      result = try kMeans.runHierarchy(count: count, seed: options.seed) { completed, total in
        progress.completedStepCount = iterations + iterations * completed / total
        progress.changedRowCount = nil
        report(progress)
      }
    }
    progress.completedStepCount = progress.totalStepCount
    report(progress)
    return result
  }

  /// Clusters in the order of their centroids, and the inertia of all.
  private func clusters(
    _ rows: LiveRows, _ result: KMeans.Outcome
  ) throws(StoreError) -> ([(centroid: [Float], members: [Cluster.Member])], Double) {
    let dimension = rows.dimension
    let (identities, lengths) = (try rows.identities(), try rows.lengths())
    let groups = KMeans.groups(
      result.assignment.clusters, count: result.centroids.count / dimension)
    var clusters: [(centroid: [Float], members: [Cluster.Member])] = []
    for (cluster, group) in groups.enumerated() {
      let members = group.map { position in
        Cluster.Member(
          row: RowIdentity(key: identities[position].key, part: identities[position].part),
          score: rows.clamped(result.assignment.scores[position]))
      }
      let range = cluster * dimension..<(cluster + 1) * dimension
      clusters.append((Array(result.centroids[range]), members))
    }
    let inertia = zip(lengths, result.assignment.scores).reduce(0) { $0 + $1.0 - Double($1.1) }
    return (clusters, inertia)
  }
}
