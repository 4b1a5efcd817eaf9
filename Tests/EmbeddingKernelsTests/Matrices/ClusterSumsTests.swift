import EmbeddingKernels
import Testing

/// Sums of rows do not depend on the order in which these come and go.
@Suite struct ClusterSumsTests {
  // Whole numbers tell what the sums are: every half is one, times 2⁻²⁴.
  @Test func sumsAreExact() {
    var random = SeededGenerator()
    let rows = BlockRows((0..<50).map { _ in random.floats(33, exponents: -24...7) })
    var sums = ClusterSums(clusterCount: 3, dimension: 33, rowCount: 50, rowLength: 2_000)
    for row in 0..<50 { sums.add(rows.block, row, to: row % 3) }
    for row in stride(from: 0, to: 50, by: 4) { sums.remove(rows.block, row, from: row % 3) }
    for cluster in 0..<3 {
      for index in 0..<33 {
        let whole = (0..<50).filter { $0 % 3 == cluster && $0 % 4 != 0 }.reduce(Int64(0)) {
          $0 + Int64(Double(rows.floats[$1][index]) * 0x1p24)
        }
        #expect(
          sums.components[cluster * 33 + index] == Double(whole) * 0x1p-24, "\(random.replay)")
      }
    }
  }

  // So many and so long rows that the smallest of them would be lost in some orders.
  @Test func sumsAreTheSameInAnyOrder() {
    var random = SeededGenerator()
    let rows = BlockRows([[60_000], [0x1p-24], [-59_968], [0x1p-23]])
    func sum(_ order: [Int]) -> Double {
      let all = ClusterSums(
        clusterCount: 2, dimension: 1, rowCount: order.count, rowLength: 60_000)
      var parts = [all.empty, all.empty]
      for row in order {
        let part = Int.random(in: 0..<2, using: &random)
        parts[part].add(rows.block, row, to: 0)
        parts[1 - part].remove(rows.block, row, from: 1)
        parts[part].add(rows.block, row, to: 1)
      }
      var sums = all
      for part in parts { sums.merge(part) }
      #expect(sums.components[1] == 0, "\(random.replay)")
      return sums.components[0]
    }
    var order = (0..<40_000).map { $0 < 5 ? 1 : $0 < 10 ? 3 : 0 } + [2, 2, 2]
    let expected = sum(order)
    #expect(sum(order.reversed()) == expected, "\(random.replay)")
    for _ in 0..<3 {
      order.shuffle(using: &random)
      #expect(sum(order) == expected, "\(random.replay)")
    }
    // As many roundings as rows, to a multiple of 2⁻⁵² of all that could be summed up.
    let exact: Double = 39_990 * 60_000 - 3 * 59_968
    let largest: Double = 40_003 * 60_000
    #expect(abs(expected - exact) <= 40_003 * 4 * largest * 0x1p-52)
  }
}
