internal import EmbeddingFiles
internal import EmbeddingKernels

/// Some or all live rows of a snapshot, for work that looks at every one of them, block by block.
///
/// A row's position is its place in the list. Positions of all rows follow the files, and change
/// with a compaction.
package struct LiveRows: Sendable {
  let contents: Contents
  let rows: [UInt32]
  let threadCount: Int

  /// All live rows. 4 bytes of memory a row.
  package init(_ snapshot: Snapshot) {
    var rows: [UInt32] = []
    rows.reserveCapacity(snapshot.contents.liveRowCount)
    snapshot.contents.live.forEach(in: 0..<snapshot.contents.rowCount) { row in
      rows.append(UInt32(truncatingIfNeeded: row))
    }
    self.init(snapshot.contents, rows, snapshot.threads.most)
  }

  init(_ contents: Contents, _ rows: [UInt32], _ threadCount: Int) {
    self.contents = contents
    self.rows = rows
    self.threadCount = threadCount
  }

  /// The rows at some positions, in the order given.
  package func at(_ positions: [Int]) -> LiveRows {
    LiveRows(contents, positions.map { rows[$0] }, threadCount)
  }

  package var count: Int { rows.count }
  package var dimension: Int { contents.space.dimension }
  /// Whether rows have length 1, but for rounding, and scores are within [-1, 1].
  package var isNormalized: Bool { contents.space.isNormalized }
  /// No row is longer (L2) than this.
  package var maximumLength: Float { contents.maximumRowLength }

  /// A score as matches show it.
  package func clamped(_ score: Float) -> Float {
    isNormalized ? min(max(score, -1), 1) : score
  }
}

// MARK: - Reading blocks

extension LiveRows {
  /// Rows that a block takes: few enough that its products stay near the processor.
  static let blockRowCount = 512

  var blockCount: Int { (count + Self.blockRowCount - 1) / Self.blockRowCount }

  func block(_ index: Int) -> Range<Int> {
    index * Self.blockRowCount..<min(count, (index + 1) * Self.blockRowCount)
  }

  /// Puts the rows at some positions into a block, instead of what is in it.
  func read(_ positions: some Collection<Int>, into block: RowBlock) throws(StorageError) {
    block.removeAll()
    var run = 0..<0
    for position in positions {
      let row = Int(rows[position])
      if row == run.upperBound, !run.isEmpty {
        run = run.lowerBound..<row + 1
      } else {
        try append(run, to: block)
        run = row..<row + 1
      }
    }
    try append(run, to: block)
  }

  /// The score of a row of a block with the row at a position, from where it lies.
  func score(
    _ block: RowBlock, _ row: Int, withRowAt position: Int
  ) throws(StorageError) -> Float {
    let other = Int(rows[position])
    return try contents.withRows(other..<other + 1) { (bytes) throws(StorageError) in
      block.score(ofRowAt: row, with: bytes)
    }
  }

  private func append(_ rows: Range<Int>, to block: RowBlock) throws(StorageError) {
    var start = rows.lowerBound
    while start < rows.upperBound {
      let run = contents.contiguousRows(from: start, below: rows.upperBound)
      try contents.withRows(run) { (bytes) throws(StorageError) in
        block.append(bytes, stride: contents.stride, count: run.count)
      }
      start = run.upperBound
    }
  }
}
