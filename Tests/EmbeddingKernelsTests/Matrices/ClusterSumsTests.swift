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

  @Test(arguments: [1, 0x1p6, 0x1p14] as [Float])
  func sumsAreTheSameInAnyOrder(scale: Float) {
    var random = SeededGenerator()
    let rows = BlockRows(
      (0..<200).map { _ in random.floats(17, exponents: -12...0).map { $0 * scale } })
    // As many rows as would make sums in Float64 depend on their order.
    func empty() -> ClusterSums {
      ClusterSums(clusterCount: 2, dimension: 17, rowCount: 1 << 30, rowLength: 10 * scale)
    }
    var inOrder = empty()
    for row in 0..<200 { inOrder.add(rows.block, row, to: 1) }
    for _ in 0..<5 {
      var parts = [empty().empty, empty().empty]
      for row in (0..<200).shuffled(using: &random) {
        let part = Int.random(in: 0..<2, using: &random)
        parts[part].add(rows.block, row, to: 0)
        parts[1 - part].remove(rows.block, row, from: 0)
        parts[part].add(rows.block, row, to: 1)
      }
      var sums = empty()
      for part in parts { sums.merge(part) }
      #expect(sums.components == inOrder.components, "\(random.replay)")
    }
    for index in 0..<17 {
      let exact = rows.floats.reduce(0.0) { $0 + Double($1[index]) }
      // 200 roundings to a multiple of 2⁻⁵² of all that could be summed up.
      let allowed = 200 * 0x1p-52 * 4 * 0x1p30 * 10 * Double(scale)
      #expect(abs(inOrder.components[17 + index] - exact) <= allowed, "\(random.replay)")
    }
  }
}
