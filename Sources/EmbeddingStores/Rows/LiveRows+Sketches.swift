internal import EmbeddingFiles
internal import EmbeddingKernels

extension LiveRows {
  /// Sketches of all rows, for finding the pairs whose score is not below `threshold`; nil where
  /// products of whole rows take no more time.
  ///
  /// Which width pays is told by the pairs of a sample. Memory of 4 bytes for each of its numbers,
  /// 32 to 128, and row.
  func sketches(
    forScore threshold: Float, cancellation: WorkCancellation
  ) throws(StorageError) -> RowSketches? {
    guard count >= Self.sketchedRowCount else { return nil }
    let sample = RowBlock(dimension: dimension, capacity: Self.sampleRowCount)
    try read((0..<Self.sampleRowCount).map { $0 * count / Self.sampleRowCount }, into: sample)
    var best: (basis: SketchBasis, cost: Double)?
    for width in [32, 64, 128] where 2 * width <= dimension {
      try cancellation.check()
      guard let basis = SketchBasis(fitting: sample, width: width) else { continue }
      let cost = cost(of: basis, sample, threshold)
      if cost < best?.cost ?? Double(dimension) { best = (basis, cost) }
    }
    guard let basis = best?.basis else { return nil }
    let sketches = RowSketches(basis, count: count, rowLength: maximumLength)
    try SharedWork.forEachPiece(
      of: blockCount, threadCount: threadCount, cancellation: cancellation,
      makeState: { RowBlock(dimension: dimension, capacity: Self.blockRowCount) }
    ) { (piece, rows) throws(StorageError) in
      let positions = block(piece)
      try read(positions, into: rows)
      sketches.write(rows, at: positions.lowerBound)
    }
    return sketches
  }

  /// With fewer rows a product of all of them is done before a basis is.
  private static let sketchedRowCount = 2_048
  private static let sampleRowCount = 1_024
  /// A score takes about as long as so many pairs' products of whole rows.
  static let pairsPerScore = 12

  /// What a pair costs on average, in products of two numbers.
  private func cost(of basis: SketchBasis, _ sample: RowBlock, _ threshold: Float) -> Double {
    let sketches = RowSketches(basis, count: sample.count, rowLength: maximumLength)
    sketches.write(sample, at: 0)
    var candidateCount = 0
    let all = 0..<sample.count
    SketchPairs(rowCapacity: sample.count).forEach(all, all, of: sketches, atLeast: threshold) {
      (_, _) in candidateCount += 1
    }
    let share = Double(2 * candidateCount) / Double(sample.count * (sample.count - 1))
    return Double(basis.width) + share * Double(Self.pairsPerScore * dimension)
  }
}
