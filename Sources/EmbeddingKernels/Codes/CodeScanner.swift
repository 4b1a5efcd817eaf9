import CEmbeddingKernels

/// Bounds the scores of coded rows for one query, a stage at a time.
///
/// Every bound is at or above K, whatever the arithmetic's rounding: `Docs/Search.md` has the
/// proof, and the names here are its letters. For use by one thread at a time.
@safe
package final class CodeScanner {
  private let query: CodeQuery
  private let layout: CodeLayout
  private let kernels: UnsafePointer<ek_code_kernels>
  private let bytes: UnsafeMutablePointer<Int8>
  private let segments: UnsafeMutablePointer<ek_code_segment>
  /// Of the chunks scanned so far, at their numbers.
  private var constants: [ChunkConstants?] = []

  package init(_ query: CodeQuery, kernels: Kernels = .current) {
    self.query = query
    layout = query.layout
    self.kernels = kernels.codes
    bytes = UnsafeMutableRawPointer.allocate(byteCount: layout.paddedCount, alignment: 64)
      .bindMemory(to: Int8.self, capacity: layout.paddedCount)
    bytes.initialize(from: query.bytes, count: layout.paddedCount)
    segments = .allocate(capacity: Int(ek_code_segments))
    segments.initialize(repeating: ek_code_segment(), count: Int(ek_code_segments))
  }

  deinit {
    bytes.deallocate()
    segments.deallocate()
  }

  /// Appends the rows of a chunk whose bound is not below the threshold.
  ///
  /// - Parameters:
  ///   - bytes: The chunk up to the end of its first stage.
  ///   - allowed: A bit for each row from `firstRow`, a multiple of 64, on; nil when all are.
  /// - Complexity: `rowCount` rows of `byteCount(ofStage: 0)` bytes.
  package func scan(
    chunk index: Int, _ bytes: RawSpan, firstRow: Int, rowCount: Int, allowed: Span<UInt64>?,
    threshold: Float, into survivors: Survivors
  ) {
    let stage = layout.range(ofStage: 0, rowCount: rowCount)
    precondition(bytes.byteCount >= stage.upperBound, "the chunk is cut short")
    bytes.withUnsafeBytes { bytes in
      guard rowCount > 0, let base = bytes.baseAddress else { return }
      let constants = ChunkConstants(bytes)
      remember(constants, ofChunk: index)
      var scan = terms(constants)
      let groups = (base + stage.lowerBound).assumingMemoryBound(to: UInt8.self)
      let first = UInt32(truncatingIfNeeded: firstRow)
      func run(_ words: UnsafePointer<UInt64>?) {
        survivors.append(atMost: rowCount) {
          kernels.pointee.scan(groups, rowCount, &scan, threshold, words, first, $0)
        }
      }
      if let allowed {
        precondition(allowed.count * 64 >= rowCount, "too few bits")
        allowed.withUnsafeBufferPointer { run($0.baseAddress) }
      } else {
        run(nil)
      }
    }
  }

  /// Adds a stage to the rows of one scanned chunk, which are those in `range`, and leaves those
  /// whose bound is not below the threshold at `target`; returns how many.
  ///
  /// - Parameter bytes: The stage's bytes within the chunk.
  package func refine(
    _ survivors: Survivors, _ range: Range<Int>, to target: Int, stage: Int, chunk index: Int,
    _ bytes: RawSpan, firstRow: Int, threshold: Float
  ) -> Int {
    guard !range.isEmpty else { return 0 }
    guard index < constants.count, let constants = constants[index] else {
      preconditionFailure("a chunk not yet scanned")
    }
    let last = Int(survivors.row(at: range.upperBound - 1)) - firstRow
    precondition(
      Int(survivors.row(at: range.lowerBound)) >= firstRow
        && (last + 1) * layout.byteCount(ofStage: stage) <= bytes.byteCount,
      "rows outside of the chunk")
    var terms = terms(constants, ofStage: stage)
    return bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return survivors.keep(range, to: target) {
        kernels.pointee.refine(
          base.assumingMemoryBound(to: UInt8.self), &terms, threshold,
          UInt32(truncatingIfNeeded: firstRow), $0, range.count)
      }
    }
  }

  private func remember(_ chunk: ChunkConstants, ofChunk index: Int) {
    while constants.count <= index { constants.append(nil) }
    constants[index] = chunk
  }

  // MARK: - Terms

  private func terms(_ constants: ChunkConstants) -> ek_code_scan {
    let projection = query.projection
    var scan = ek_code_scan()
    scan.segment = segment(0, isHigh: true, constants)
    scan.base = Float(projection * Double(constants.projectionBase))
    scan.projection = Float(projection * Double(constants.projectionStep))
    scan.bound = bound(ofStage: 0, constants)
    return scan
  }

  private func terms(_ constants: ChunkConstants, ofStage stage: Int) -> ek_code_refinement {
    let read = layout.stages[stage].segments
    for (position, index) in read.enumerated() {
      segments[position] = segment(index, isHigh: stage < layout.lastStage, constants)
    }
    return ek_code_refinement(
      segments: segments, segment_count: read.count,
      record_bytes: layout.byteCount(ofStage: stage), bound: bound(ofStage: stage, constants))
  }

  /// A high nibble h stands for 16·(h - 7.5) units and a low one for l - 7.5, and the kernels sum
  /// 2h - 15 and 2l - 15.
  private func segment(
    _ index: Int, isHigh: Bool, _ constants: ChunkConstants
  ) -> ek_code_segment {
    let segment = query.segments[index]
    return ek_code_segment(
      query: bytes + segment.start, width: segment.width, offset: segment.offset,
      product: (isHigh ? 8 : 0.5) * segment.scale * constants.scaleSteps[index])
  }

  /// |z_seen|·R + |z_rest|·τ + everything that does not depend on the row.
  private func bound(ofStage stage: Int, _ constants: ChunkConstants) -> ek_code_bound {
    let seen = query.seenNorms[stage]
    let rest = query.restNorms[stage]
    let length = Double(constants.largestRest)
    var slack =
      query.projectionMagnitude * Double(constants.largestSlip)
      + (query.restRounding + query.rotationSlack) * length + query.kernelError
    // The most that any partial sum can be, for the rounding of the kernels.
    let projections =
      abs(Double(constants.projectionBase)) + 255 * abs(Double(constants.projectionStep))
    var largest =
      query.projectionMagnitude * projections + slack
      + 255 * seen * Double(constants.errorSteps[stage])
      + 255 * rest * Double(constants.restSteps[stage])
    let norms = stage < layout.lastStage ? constants.highNorms : constants.fullNorms
    for (index, segment) in query.segments[...layout.lastSegment(ofStage: stage)].enumerated() {
      slack += segment.error * Double(norms[index])
      largest +=
        segment.norm * Double(max(constants.highNorms[index], constants.fullNorms[index]))
    }
    slack += Self.roundings * 0x1p-24 * largest
    return ek_code_bound(
      error: Float(roundingUp: seen * Double(constants.errorSteps[stage])),
      rest: Float(roundingUp: rest * Double(constants.restSteps[stage])),
      slack: BoundSabotage.applies(.dropsSlack) ? 0 : Float(roundingUp: slack))
  }

  /// More than a value goes through in five stages: constants, products, sums.
  private static let roundings = 48.0
}
