internal import EmbeddingStores

extension ClusteringRun {
  func check() throws(StoreError) {
    let smallest =
      switch options.count {
      case .exactly(let count): count
      case .suggested(let bounds): bounds.lowerBound
      }
    guard smallest >= 1 else {
      throw StoreError(
        .invalidArgument, "A clustering makes 1 cluster or more; this one asks for \(smallest).")
    }
    guard options.maximumIterationCount >= 1 else {
      throw StoreError(
        .invalidArgument,
        "k-means takes 1 iteration or more; this one may take \(options.maximumIterationCount).")
    }
  }

  func check(_ set: CentroidSet) throws(StoreError) {
    guard set.space == snapshot.space else {
      throw StoreError(
        .spaceMismatch,
        "The centroids belong to \(set.space.summary), the store to \(snapshot.space.summary). "
          + "Cluster this store anew.")
    }
    guard !set.ids.isEmpty, set.ids.count == set.centroids.count,
      Set(set.ids).count == set.ids.count
    else {
      throw StoreError(
        .invalidArgument,
        "Rows are assigned to 1 centroid or more, each with an id of its own; these are "
          + "\(set.centroids.count) centroids with \(Set(set.ids).count) different ids.")
    }
    guard
      set.centroids.allSatisfy({
        $0.count == snapshot.space.dimension && $0.allSatisfy(\.isFinite)
      })
    else {
      throw StoreError(
        .invalidArgument,
        "A centroid has not \(snapshot.space.dimension) finite components. Cluster anew.")
    }
  }
}
