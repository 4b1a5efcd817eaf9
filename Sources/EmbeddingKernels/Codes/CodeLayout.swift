/// Where compact codes lie, all of which follows from the dimension of the rows.
///
/// The rotated components of a row are cut into segments, and reading them is cut into stages: the
/// high nibbles of the first segment of every row, then, for fewer and fewer rows, those of the
/// other segments one by one, and at last all low nibbles. `Docs/FileFormat.md` shows the bytes.
package struct CodeLayout: Equatable, Sendable {
  /// Rows of a chunk; the last one has fewer.
  package static let chunkRowCount = 4_096
  /// Fewer rows than this are not worth codes: they are scanned in less time than it takes to
  /// rotate a query.
  package static let minimumRowCount = 4_096
  /// Rows that the first stage reads in one piece.
  static let groupRowCount = 16
  /// Components that share a unit.
  static let unitWidth = 32
  static let chunkHeaderByteCount = 128
  private static let mostRotated = 512
  /// Fewer components are read as fast as their codes; fitting to more takes too long and too much
  /// memory.
  private static let dimensions = 64...2_048

  struct Segment: Equatable, Sendable {
    /// The first of its rotated components, and their number.
    var start: Int
    var width: Int
  }

  struct Stage: Equatable, Sendable {
    /// The segments whose high nibbles it reads, or for the last stage low ones.
    var segments: Range<Int>
    /// Bytes of one row.
    var byteCount: Int
    /// Of these, packed nibbles.
    var packedByteCount: Int
    /// Bytes of one row in the stages before.
    var precedingByteCount: Int
  }

  package let dimension: Int
  /// Rotated components that are coded. More would hold hardly any of a row's length.
  let rotatedCount: Int
  /// One to four segments; zeros fill the last.
  let segments: [Segment]
  let stages: [Stage]

  /// Nil for rows with too few components, or too many.
  package init?(dimension: Int) {
    guard Self.dimensions.contains(dimension) else { return nil }
    self.dimension = dimension
    rotatedCount = min(dimension, Self.mostRotated)
    let padded = (rotatedCount + Self.unitWidth - 1) / Self.unitWidth * Self.unitWidth
    var segments: [Segment] = []
    for width in [128, 64, 64, padded] {
      let start = segments.last.map { $0.start + $0.width } ?? 0
      if start < padded {
        segments.append(Segment(start: start, width: min(width, padded - start)))
      }
    }
    self.segments = segments
    stages = Self.stages(segments)
  }

  private static func stages(_ segments: [Segment]) -> [Stage] {
    var stages: [Stage] = []
    for read in segments.indices.map({ $0..<$0 + 1 }) + [segments.indices] {
      let packed = read.reduce(0) { $0 + segments[$1].width / 2 }
      // The first stage has four bytes beside the nibbles; a later one a scale for each segment, R
      // and τ.
      let others = stages.isEmpty ? 4 : read.count + 2
      stages.append(
        Stage(
          segments: read, byteCount: (packed + others + 3) / 4 * 4, packedByteCount: packed,
          precedingByteCount: stages.reduce(0) { $0 + $1.byteCount }))
    }
    return stages
  }

  /// Rotated components with the zeros behind them.
  var paddedCount: Int { segments.reduce(0) { $0 + $1.width } }
  var unitCount: Int { paddedCount / Self.unitWidth }
  package var stageCount: Int { stages.count }
  /// The last stage, which completes the codes.
  var lastStage: Int { segments.count }
  /// The last segment that a stage or one before it has read.
  func lastSegment(ofStage stage: Int) -> Int { min(stage, segments.count - 1) }

  /// Bytes that a stage reads of one row.
  package func byteCount(ofStage stage: Int) -> Int { stages[stage].byteCount }

  // MARK: - Chunks

  package static func chunkCount(rowCount: Int) -> Int {
    (rowCount + chunkRowCount - 1) / chunkRowCount
  }

  package func chunkByteCount(rowCount: Int) -> Int {
    range(ofStage: stageCount - 1, rowCount: rowCount).upperBound
  }

  /// Where a chunk begins.
  package func offset(ofChunk chunk: Int) -> Int {
    chunk * chunkByteCount(rowCount: Self.chunkRowCount)
  }

  /// Bytes of the codes of `rowCount` rows.
  package func byteCount(rowCount: Int) -> Int {
    let rest = rowCount % Self.chunkRowCount
    return offset(ofChunk: rowCount / Self.chunkRowCount)
      + (rest == 0 ? 0 : chunkByteCount(rowCount: rest))
  }

  /// The bytes of a stage within a chunk of `rowCount` rows, without the chunk's header.
  package func range(ofStage stage: Int, rowCount: Int) -> Range<Int> {
    let padded = (rowCount + Self.groupRowCount - 1) / Self.groupRowCount * Self.groupRowCount
    let start = Self.chunkHeaderByteCount + padded * stages[stage].precedingByteCount
    return start..<start + padded * stages[stage].byteCount
  }
}
