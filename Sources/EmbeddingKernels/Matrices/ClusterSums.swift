/// Sums of rows by cluster, the same to the bit in whatever order rows come and go.
///
/// Halves are whole multiples of 2⁻²⁴, so Float64 holds sums of them exactly as long as these are
/// below 2²⁹. Where rows are so many and so long that a sum might be larger, their components are
/// rounded first, to multiples of a number of which Float64 holds every sum exactly: they then err by
/// less than 2⁻⁵² of what all rows could add up to.
package struct ClusterSums: Sendable {
  /// One sum after the other.
  package private(set) var components: [Double]
  private let dimension: Int
  /// Adding this and taking it away again rounds to a multiple of the unit of all sums.
  private let rounder: Double

  /// Sums of no rows; of at most `rowCount` rows, none longer than `rowLength`, later on.
  package init(clusterCount: Int, dimension: Int, rowCount: Int, rowLength: Float) {
    components = [Double](repeating: 0, count: clusterCount * dimension)
    self.dimension = dimension
    // Twice for what comes and goes in one thread, twice for adding that to what is there.
    let largest = max(4 * Double(rowCount) * Double(rowLength), 1)
    rounder = 1.5 * max(0x1p-24 * 0x1p52, 2 * largest.binade)
  }

  /// Sums of no rows that may be merged with these.
  package var empty: ClusterSums {
    var copy = self
    copy.components = [Double](repeating: 0, count: components.count)
    return copy
  }

  /// Adds a row of a block to the sum of a cluster.
  package mutating func add(_ block: RowBlock, _ row: Int, to cluster: Int) {
    change(cluster, block, row) { $0 += $1 }
  }

  /// Takes a row of a block, which was added before, from the sum of a cluster.
  package mutating func remove(_ block: RowBlock, _ row: Int, from cluster: Int) {
    change(cluster, block, row) { $0 -= $1 }
  }

  package mutating func merge(_ other: ClusterSums) {
    precondition(other.components.count == components.count, "the sums are of other clusters")
    for index in components.indices { components[index] += other.components[index] }
  }

  @inline(__always)
  private mutating func change(
    _ cluster: Int, _ block: RowBlock, _ row: Int, _ change: (inout Double, Double) -> Void
  ) {
    precondition(
      block.dimension == dimension && row >= 0 && row < block.count && cluster >= 0
        && cluster < components.count / dimension, "no such row or cluster")
    let (rounder, dimension) = (rounder, dimension)
    let row = block.floats + row * dimension
    components.withUnsafeMutableBufferPointer { components in
      guard let sum = components.baseAddress.map({ $0 + cluster * dimension }) else { return }
      for index in 0..<dimension {
        change(&sum[index], (Double(row[index]) + rounder) - rounder)
      }
    }
  }
}
