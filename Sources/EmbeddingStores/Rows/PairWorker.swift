internal import EmbeddingFiles
internal import EmbeddingKernels

/// One thread's comparisons of a block of rows with others, and the pairs it found.
final class PairWorker {
  private(set) var found: [RowPair] = []
  private let rows: LiveRows
  private let sketches: RowSketches?
  private let threshold: Float
  private var positions = 0..<0
  private let left: RowBlock
  private let right: RowBlock
  private let sketchPairs: SketchPairs
  private let closePairs: ClosePairs

  init(rows: LiveRows, sketches: RowSketches?, threshold: Float) {
    self.rows = rows
    self.sketches = sketches
    self.threshold = threshold
    let size = LiveRows.blockRowCount
    left = RowBlock(dimension: rows.dimension, capacity: size)
    right = RowBlock(dimension: rows.dimension, capacity: size)
    sketchPairs = SketchPairs(rowCapacity: size)
    closePairs = ClosePairs(rowCapacity: size)
  }

  /// Forgets what was found, and takes a block to be compared with others.
  func begin(_ block: Range<Int>) throws(StorageError) {
    found = []
    positions = block
    try rows.read(block, into: left)
  }

  /// Compares the block with another, or with itself.
  func compare(
    with other: Range<Int>, where isWanted: (Int, Int) -> Bool
  ) throws(StorageError) {
    guard let candidates = candidates(with: other) else {
      return try compareAll(with: other, where: isWanted)
    }
    for (first, second) in candidates where isWanted(first, second) {
      let score = try rows.score(left, first - positions.lowerBound, withRowAt: second)
      if score >= threshold {
        found.append(RowPair(first: first, second: second, score: score))
      }
    }
  }

  /// The pairs that sketches can not rule out; nil when these are so many that one product of all
  /// rows takes less time than scoring each.
  private func candidates(with other: Range<Int>) -> [(Int, Int)]? {
    guard let sketches else { return nil }
    let limit = positions.count * other.count / LiveRows.pairsPerScore
    var (candidates, count): ([(Int, Int)], Int) = ([], 0)
    sketchPairs.forEach(positions, other, of: sketches, atLeast: threshold) { first, second in
      count += 1
      if count <= limit { candidates.append((first, second)) }
    }
    return count <= limit ? candidates : nil
  }

  private func compareAll(
    with other: Range<Int>, where isWanted: (Int, Int) -> Bool
  ) throws(StorageError) {
    let isSame = other == positions
    if !isSame { try rows.read(other, into: right) }
    closePairs.forEach(
      left, isSame ? left : right, atLeast: threshold, rowLength: rows.maximumLength
    ) { leftRow, rightRow, score in
      let (first, second) = (positions.lowerBound + leftRow, other.lowerBound + rightRow)
      if isWanted(first, second) {
        found.append(RowPair(first: first, second: second, score: score))
      }
    }
  }
}
