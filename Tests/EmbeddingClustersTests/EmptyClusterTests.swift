import EmbeddingStores
import EmbeddingTestSupport
import Testing

@testable import EmbeddingClusters

/// Centroids that lose all rows on the way, which good first centroids hardly ever do.
@Suite struct EmptyClusterTests {
  private let rows: LiveRows
  private let kMeans: KMeans
  private let cancellation = WorkCancellation("cancelled")
  /// The second one points away from every row.
  private let centroids: [Float] = [1, 0, -1, 0]

  init() throws {
    rows = LiveRows(try makeStore([[1, 0], [1, 0.1], [1, 0.5]]).snapshot())
    kMeans = KMeans(
      rows: rows, maximumIterationCount: 5, cancellation: cancellation, onIteration: { _, _ in })
  }

  @Test func anEmptyClusterGetsTheRowThatIsWorstOffAndItsSum() throws {
    var assignment = try rows.summedAssignment(
      to: centroids, after: nil, cancellation: cancellation)
    #expect(assignment.clusters == [0, 0, 0])
    try kMeans.fillEmpty(&assignment, centroids)
    #expect(assignment.clusters == [0, 0, 1])
    let vectors = try RowSample(rows)
    for index in 0..<2 {
      let values = (0..<3).map { Double(vectors.vector(at: $0)[index]) }
      #expect(assignment.sums[index] == values[0] + values[1])
      #expect(assignment.sums[2 + index] == values[2])
    }
  }

  @Test func noClusterIsEmptyInTheEnd() throws {
    let outcome = try kMeans.settled(centroids)
    #expect(outcome.assignment.clusters == [0, 0, 1])
    #expect(Array(outcome.centroids.prefix(2)) == [1, 0])
  }

  @Test func sumsOfAnAssignmentAfterAnotherAreThoseOfAFreshOne() throws {
    var generator = SeededGenerator("sumsOfAnAssignmentAfterAnother", seed: 6_060)
    let vectors = RandomVectors.uniform(1_200, dimension: 7, using: &generator)
    let rows = LiveRows(try makeStore(vectors, threadCount: 3).snapshot())
    var last: SummedAssignment?
    for _ in 0..<4 {
      let centroids = RandomVectors.uniform(9, dimension: 7, using: &generator).flatMap { $0 }
      let next = try rows.summedAssignment(
        to: centroids, after: last, cancellation: cancellation)
      let fresh = try rows.summedAssignment(
        to: centroids, after: nil, cancellation: cancellation)
      #expect(next.clusters == fresh.clusters && next.sums == fresh.sums)
      last = next
    }
  }
}
