import Testing

@testable import EmbeddingKernels

@Suite struct CodeLayoutTests {
  private static let rowCounts = [1, 15, 16, 17, 100, 4_095, 4_096]

  @Test func rowsHaveCodesFrom64To2048Components() {
    for dimension in -1..<64 { #expect(CodeLayout(dimension: dimension) == nil) }
    let without = (64...4_096).filter { CodeLayout(dimension: $0) == nil }
    #expect(without == Array(2_049...4_096))
  }

  @Test func segmentsTileTheRotatedComponents() {
    for layout in Self.layouts() {
      let segments = layout.segments
      var isSound = layout.rotatedCount == min(layout.dimension, 512)
      isSound = isSound && (1...4).contains(segments.count)
      var end = 0
      for segment in segments {
        isSound = isSound && segment.start == end && segment.width > 0 && segment.width % 32 == 0
        end += segment.width
      }
      isSound = isSound && end == layout.paddedCount && end == 32 * layout.unitCount
      isSound = isSound && (0..<32).contains(end - layout.rotatedCount)
      // What the kernels have been shown to do.
      isSound = isSound && segments[0].width <= 128 && segments.allSatisfy { $0.width <= 256 }
      #expect(isSound, "\(layout.dimension) components: \(segments)")
    }
  }

  /// High nibbles of every segment once, then low nibbles of all.
  @Test func stagesReadEveryNibbleOnce() {
    for layout in Self.layouts() {
      let count = layout.segments.count
      var isSound = layout.stageCount == count + 1 && layout.lastStage == count
      var preceding = 0
      for (index, stage) in layout.stages.enumerated() {
        isSound = isSound && stage.segments == (index < count ? index..<index + 1 : 0..<count)
        let packed = layout.segments[stage.segments].reduce(0) { $0 + $1.width / 2 }
        // a, scale, R and τ; or a scale of each segment, R and τ.
        let others = index == 0 ? 4 : stage.segments.count + 2
        isSound = isSound && stage.packedByteCount == packed
        isSound = isSound && (packed + others..<packed + others + 4).contains(stage.byteCount)
        isSound = isSound && stage.byteCount % 4 == 0
        isSound = isSound && stage.precedingByteCount == preceding
        isSound = isSound && layout.byteCount(ofStage: index) == stage.byteCount
        isSound = isSound && layout.lastSegment(ofStage: index) == min(index, count - 1)
        preceding += stage.byteCount
      }
      #expect(isSound, "\(layout.dimension) components: \(layout.stages)")
    }
  }

  @Test func stagesTileAChunk() {
    for layout in Self.layouts() {
      var isSound = true
      for rowCount in Self.rowCounts {
        var end = 128
        for stage in 0..<layout.stageCount {
          let range = layout.range(ofStage: stage, rowCount: rowCount)
          isSound = isSound && range.lowerBound == end
          isSound = isSound && range.count >= rowCount * layout.byteCount(ofStage: stage)
          isSound = isSound && range.count < (rowCount + 16) * layout.byteCount(ofStage: stage)
          end = range.upperBound
        }
        isSound = isSound && layout.chunkByteCount(rowCount: rowCount) == end
        // Groups of whole lines.
        let first = layout.range(ofStage: 0, rowCount: rowCount)
        isSound = isSound && first.count % (layout.segments[0].width * 8 + 64) == 0
      }
      #expect(isSound, "\(layout.dimension) components")
    }
  }

  @Test func chunksTileTheCodes() {
    let wholeChunk = CodeLayout.chunkRowCount
    for layout in Self.layouts() {
      var isSound = true
      for rowCount in [0, 1, 4_095, 4_096, 4_097, 8_192, 20_500] {
        let chunkCount = CodeLayout.chunkCount(rowCount: rowCount)
        var (rows, bytes) = (0, 0)
        for chunk in 0..<chunkCount {
          let inChunk = min(wholeChunk, rowCount - rows)
          isSound = isSound && inChunk > 0 && layout.offset(ofChunk: chunk) == bytes
          bytes += layout.chunkByteCount(rowCount: inChunk)
          rows += inChunk
        }
        isSound = isSound && rows == rowCount && layout.byteCount(rowCount: rowCount) == bytes
      }
      #expect(isSound, "\(layout.dimension) components")
    }
  }

  @Test func codesAreAtMost60PercentOfTheRows() {
    for layout in Self.layouts() {
      let rowCount = CodeLayout.minimumRowCount
      let rows = rowCount * RowBuffer.stride(forDimension: layout.dimension)
      let share = Double(layout.byteCount(rowCount: rowCount)) / Double(rows)
      #expect(share <= 0.6, "\(layout.dimension) components")
    }
  }

  private static func layouts() -> [CodeLayout] {
    (1...4_096).compactMap { CodeLayout(dimension: $0) }
  }
}
