internal import EmbeddingFiles
internal import EmbeddingKernels

/// One thread's comparisons of rows with rows, and the pairs it found.
final class PairWorker {
  let left: RowBlock
  let right: RowBlock
  var found: [RowPair] = []
  private let rows: LiveRows
  private let threshold: Float
  private let pairs: ClosePairs

  init(rows: LiveRows, threshold: Float) {
    self.rows = rows
    self.threshold = threshold
    left = RowBlock(dimension: rows.dimension, capacity: LiveRows.blockRowCount)
    right = RowBlock(dimension: rows.dimension, capacity: LiveRows.blockRowCount)
    pairs = ClosePairs(rowCapacity: LiveRows.blockRowCount)
  }

  /// Compares rows at some positions with those at others. The two are equal or share none.
  func compare(
    _ first: [Int], with second: [Int], where isWanted: (Int, Int) -> Bool
  ) throws(StorageError) {
    let isSame = first == second
    let size = LiveRows.blockRowCount
    for start in stride(from: 0, to: first.count, by: size) {
      let part = first[start..<min(start + size, first.count)]
      try rows.read(part, into: left)
      for other in stride(from: isSame ? start : 0, to: second.count, by: size) {
        let counterpart = second[other..<min(other + size, second.count)]
        let isDiagonal = isSame && other == start
        if !isDiagonal { try rows.read(counterpart, into: right) }
        compareRead(part, with: isDiagonal ? part : counterpart, where: isWanted)
      }
    }
  }

  /// Compares the rows that were read into `left` with those in `right`, or with each other when
  /// the positions are the same.
  func compareRead<Positions: RandomAccessCollection<Int> & Equatable>(
    _ first: Positions, with second: Positions, where isWanted: (Int, Int) -> Bool
  ) {
    pairs.forEach(
      left, first == second ? left : right, atLeast: threshold, rowLength: rows.maximumLength
    ) { leftRow, rightRow, score in
      let one = first[first.index(first.startIndex, offsetBy: leftRow)]
      let other = second[second.index(second.startIndex, offsetBy: rightRow)]
      let (low, high) = (min(one, other), max(one, other))
      if isWanted(low, high) { found.append(RowPair(first: low, second: high, score: score)) }
    }
  }
}
