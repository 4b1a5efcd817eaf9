public import EmbeddingStores

extension EmbeddingReader {
  /// Clusters all rows by spherical k-means: seeded, and the same for a seed on any number of threads.
  ///
  /// The first centroids are chosen as k-means++ does (Arthur and Vassilvitskii 2007). A row goes to
  /// the centroid of the highest score, exactly, and to the first of equals. No cluster is empty.
  /// Fewer than asked for come back when rows of different directions are fewer: one cluster from
  /// identical rows, none from an empty store. Beyond 1,024 clusters they are found in two levels.
  /// In a space without normalisation a row counts in proportion to its length.
  ///
  /// Runs on the calling thread and as many others as the store's searches may use; `progress` is
  /// called on the calling thread. The store is not changed.
  ///
  /// - Throws: `.invalidArgument` for a count, a bound or iterations below 1; `.cancelled` soon
  ///   after the current task is; `.corrupt` and so on as reading does.
  /// - Complexity: An iteration is a matrix product of all rows with all centroids, with √count
  ///   centroids beyond 1,024. About 20 bytes of memory a row, 16 a component of each centroid and 8
  ///   more for each thread, and the members with their keys.
  public func clusters(
    _ options: ClusteringOptions, progress: (ClusteringProgress) -> Void = { _ in }
  ) throws(StoreError) -> Clustering {
    try ClusteringRun(
      snapshot: try snapshot(), options: options,
      cancellation: WorkCancellation(ClusteringRun.cancelledMessage)
    ).clustering(progress)
  }

  /// `clusters(_:progress:)` away from the caller's thread; throws `.cancelled` soon after the task is.
  @concurrent public func clusters(
    _ options: ClusteringOptions, progress: @Sendable (ClusteringProgress) -> Void = { _ in }
  ) async throws(StoreError) -> Clustering {
    let cancellation = WorkCancellation(ClusteringRun.cancelledMessage)
    return try await cancellation.run { () throws(StoreError) in
      try ClusteringRun(
        snapshot: try snapshot(), options: options, cancellation: cancellation
      ).clustering(progress)
    }
  }

  /// Assigns all rows to the centroids of an earlier run, which stay where they are.
  ///
  /// A row that was clustered in that run and has its vector still is in its old cluster; new rows
  /// join the nearest; removed rows are gone. Ids are those of the earlier run. A cluster that lost
  /// all members is empty. One matrix product of all rows with all centroids.
  ///
  /// - Throws: `.spaceMismatch` for centroids of another space; `.invalidArgument` for centroids
  ///   that are none, not finite, not of the dimension, or without an id each that no other has;
  ///   `.cancelled` as `clusters(_:progress:)`.
  public func clusters(assigningTo centroids: CentroidSet) throws(StoreError) -> Clustering {
    try ClusteringRun(
      snapshot: try snapshot(), options: ClusteringOptions(count: .exactly(1)),
      cancellation: WorkCancellation(ClusteringRun.cancelledMessage)
    ).assigning(to: centroids)
  }

  /// `clusters(assigningTo:)` away from the caller's thread.
  @concurrent public func clusters(
    assigningTo centroids: CentroidSet
  ) async throws(StoreError) -> Clustering {
    let cancellation = WorkCancellation(ClusteringRun.cancelledMessage)
    return try await cancellation.run { () throws(StoreError) in
      try ClusteringRun(
        snapshot: try snapshot(), options: ClusteringOptions(count: .exactly(1)),
        cancellation: cancellation
      ).assigning(to: centroids)
    }
  }
}
