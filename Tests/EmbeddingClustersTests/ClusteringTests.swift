import EmbeddingClusters
import EmbeddingStores
import EmbeddingTestSupport
import Testing

/// What k-means promises of any rows, compared with the same in Float64.
@Suite struct ClusteringTests {
  @Test(arguments: [1, 2, 7, 40], [EmbeddingSpace.Normalization.unitLength, .none])
  func everyRowIsInTheClusterOfTheNearestCentroid(
    count: Int, normalization: EmbeddingSpace.Normalization
  ) throws {
    var generator = SeededGenerator("everyRowIsInTheClusterOfTheNearestCentroid", seed: 6_001)
    for dimension in [3, 33, 64] {
      let vectors = RandomVectors.uniform(1_100, dimension: dimension, using: &generator)
      let store = try makeStore(vectors, normalization: normalization)
      let clustering = try store.clusters(ClusteringOptions(count: .exactly(count)))
      #expect(clustering.clusters.count == count)
      #expect(clustering.clusters.map(\.id) == Array(0..<count))
      try expectAssigned(clustering, store)
    }
  }

  @Test func aConvergedCentroidIsTheDirectionOfTheSumOfItsRows() throws {
    var generator = SeededGenerator("aConvergedCentroidIsTheDirection", seed: 6_002)
    let vectors = RandomVectors.clustered(
      900, clusterCount: 6, dimension: 24, using: &generator)
    let store = try makeStore(vectors)
    let clustering = try store.clusters(
      ClusteringOptions(count: .exactly(6), maximumIterationCount: 100))
    #expect(clustering.isConverged)
    for cluster in clustering.clusters {
      var sum = [Double](repeating: 0, count: 24)
      for member in cluster.members {
        let vector = try #require(try store.vector(for: member.row.key))
        for index in sum.indices { sum[index] += Double(vector[index]) }
      }
      let length = sum.reduce(0) { $0 + $1 * $1 }.squareRoot()
      for index in sum.indices {
        #expect(abs(Double(cluster.centroid[index]) - sum[index] / length) <= 1e-7)
      }
    }
  }

  // Clusters that far apart have one best partition, the one they were made with.
  @Test func clustersThatAreFarApartAreFound() throws {
    var generator = SeededGenerator("clustersThatAreFarApartAreFound", seed: 6_003)
    let vectors = RandomVectors.clustered(
      600, clusterCount: 8, dimension: 48, using: &generator)
    let clustering = try makeStore(vectors).clusters(
      ClusteringOptions(count: .exactly(8), seed: 3))
    let found = Set(clustering.clusters.map { Set($0.members.map(\.row.key)) })
    let expected = Set(
      (0..<8).map { cluster in
        Set(stride(from: cluster, to: 600, by: 8).map { "k\($0)" })
      })
    #expect(found == expected)
  }

  @Test(arguments: [EmbeddingSpace.Normalization.unitLength, .none])
  func theSameSeedGivesTheSameClustersOnAnyNumberOfThreads(
    normalization: EmbeddingSpace.Normalization
  ) throws {
    var generator = SeededGenerator("theSameSeedGivesTheSameClusters", seed: 6_004)
    let vectors = RandomVectors.uniform(6_000, dimension: 16, using: &generator)
    func store(_ threadCount: Int) throws -> EmbeddingStore {
      try makeStore(vectors, threadCount: threadCount, normalization: normalization)
    }
    let options = ClusteringOptions(count: .exactly(20), seed: 11, maximumIterationCount: 8)
    let first = try store(1).clusters(options)
    for threadCount in [1, 2, 3, 8] {
      #expect(try store(threadCount).clusters(options) == first)
    }
    var others = options
    others.seed = 12
    #expect(try store(0).clusters(others) != first)
  }

  @Test func coverIsTheNearestMemberAndCohesionTheMeanScore() throws {
    var generator = SeededGenerator("coverIsTheNearestMember", seed: 6_005)
    let vectors = RandomVectors.uniform(500, dimension: 12, using: &generator)
    let store = try makeStore(vectors)
    for cluster in try store.clusters(ClusteringOptions(count: .exactly(9))).clusters {
      // The same kernel scores rows in a search.
      let keys = cluster.members.map(\.row.key)
      var best = 0.0
      for member in cluster.members {
        let vector = try #require(try store.vector(for: member.row.key))
        let score = dot(vector, cluster.centroid)
        #expect(abs(Double(member.score) - score) <= 1e-6)
        best = max(best, score)
      }
      #expect(Set(keys).count == keys.count)
      #expect(cluster.cover == cluster.members[0].row)
      #expect(abs(Double(cluster.members[0].score) - best) <= 1e-6)
      #expect(zip(cluster.members, cluster.members.dropFirst()).allSatisfy { $0.score >= $1.score })
      let mean = cluster.members.reduce(0.0) { $0 + Double($1.score) } / Double(keys.count)
      #expect(abs(cluster.cohesion - mean) <= 1e-12)
    }
  }

  @Test func manyClustersAreFoundInTwoLevels() throws {
    var generator = SeededGenerator("manyClustersAreFoundInTwoLevels", seed: 6_006)
    let vectors = RandomVectors.uniform(2_600, dimension: 6, using: &generator)
    let store = try makeStore(vectors)
    var steps: [ClusteringProgress] = []
    let clustering = try store.clusters(
      ClusteringOptions(count: .exactly(1_100), maximumIterationCount: 3)
    ) { steps.append($0) }
    #expect(clustering.clusters.count == 1_100)
    #expect(clustering.clusters.allSatisfy { !$0.members.isEmpty })
    #expect(clustering.clusters.reduce(0) { $0 + $1.members.count } == 2_600)
    #expect(steps.last?.completedStepCount == steps.last?.totalStepCount)
    #expect(
      zip(steps, steps.dropFirst()).allSatisfy { $0.completedStepCount <= $1.completedStepCount })
    #expect(
      try store.clusters(ClusteringOptions(count: .exactly(1_100), maximumIterationCount: 3))
        == clustering)
  }

  private func expectAssigned(_ clustering: Clustering, _ store: EmbeddingStore) throws {
    var rowCount = 0
    var inertia = 0.0
    for cluster in clustering.clusters {
      #expect(!cluster.members.isEmpty)
      rowCount += cluster.members.count
      for member in cluster.members {
        let vector = try #require(try store.vector(for: member.row.key))
        let length = dot(vector, vector).squareRoot()
        let own = dot(vector, cluster.centroid)
        let best = clustering.clusters.map { dot(vector, $0.centroid) }.max() ?? 0
        #expect(own >= best - 2e-6 * max(1, length))
        inertia += length - own
      }
    }
    #expect(rowCount == (try store.count()))
    #expect(abs(clustering.inertia - inertia) <= 1e-5 * Double(rowCount))
  }
}
