import EmbeddingKernels
import Testing

@Suite struct RowBlockTests {
  @Test(arguments: availableLevels)
  func aBlockHoldsItsRowsAndScoresThemByK(level: KernelLevel) {
    var random = SeededGenerator()
    for dimension in [1, 31, 64, 100] {
      let rows = BlockRows(
        BlockRows.unit(40, dimension: dimension, &random), kernels: level.kernels, padding: 6)
      #expect(rows.block.count == 40)
      for position in [0, 17, 39] {
        #expect(rows.block.vector(at: position) == rows.floats[position], "\(random.replay)")
        #expect(
          rows.block.scores(withRowAt: position)
            == (0..<40).map { rows.score(position, $0) }, "\(random.replay)")
        rows.halves[3].withUnsafeBytes { bytes in
          #expect(
            rows.block.score(ofRowAt: position, with: bytes.bytes) == rows.score(position, 3))
        }
      }
      #expect(rows.block.squaredLengths == (0..<40).map { rows.score($0, $0) })
      rows.block.removeAll()
      #expect(rows.block.count == 0 && rows.block.squaredLengths.isEmpty)
    }
  }
}
