import CEmbeddingKernels

/// Writes the codes of rows, a chunk at a time.
///
/// A row x becomes a·u + r, r becomes y = T·r, and y is coded in bytes. What that leaves out is
/// measured in Float64 against what the bytes stand for, and stored rounded up: R for the coded
/// components, τ for those that a stage has not read. `Docs/Search.md` shows that this suffices.
/// Holds about 12 MiB at 512 dimensions; for use by one thread at a time.
@safe
package final class RowEncoder {
  private static let blockRowCount = 64

  private let basis: CodeBasis
  private let layout: CodeLayout
  private let kernels: Kernels
  private let rotation: LargeBuffer<Double>
  private let rests: LargeBuffer<Double>
  private let products: LargeBuffer<Double>
  /// Rotated rows of a chunk, each padded with zeros.
  private let rotated: LargeBuffer<Float>
  private var rows: [RowMeasure] = []

  /// What is known of one row before its codes are.
  private struct RowMeasure {
    var projection = 0.0
    var projectionCode: UInt8 = 0
    /// |r|².
    var squaredRest = 0.0
    /// |y|² of the segments up to each.
    var squaredNorms = SIMD4<Double>()
    /// The scale that each segment needs.
    var scales = SIMD4<Float>()
    var scaleCodes = SIMD4<UInt8>()
    /// R and τ of each stage.
    var errors = SIMD8<Double>()
    var rests = SIMD8<Double>()
  }

  package init(_ basis: CodeBasis, kernels: Kernels = .current) {
    self.basis = basis
    self.kernels = kernels
    layout = basis.layout
    let (count, dimension) = (layout.rotatedCount, layout.dimension)
    rotation = LargeBuffer(count: count * dimension)
    for index in 0..<count * dimension {
      (rotation.base + index).initialize(to: Double(basis.rotation[index]))
    }
    rests = LargeBuffer(count: Self.blockRowCount * dimension)
    products = LargeBuffer(count: Self.blockRowCount * count)
    rotated = LargeBuffer(count: CodeLayout.chunkRowCount * layout.paddedCount)
  }

  /// The chunk of `count` rows, `stride` bytes apart.
  ///
  /// Codes of rows with components that are not finite mean nothing.
  ///
  /// - Parameter source: Goes through the rows, some at a time. Is called twice.
  /// - Precondition: `count <= CodeLayout.chunkRowCount`, and `source` has so many rows.
  package func encode<Failure: Error>(
    _ count: Int, stride: Int,
    _ source: (_ visit: (_ rows: RawSpan, _ count: Int) -> Void) throws(Failure) -> Void
  ) throws(Failure) -> [UInt8] {
    precondition(count <= CodeLayout.chunkRowCount, "a chunk holds chunkRowCount rows at most")
    let blocks = WidenedBlocks(
      stride: stride, dimension: layout.dimension, rowCount: Self.blockRowCount, kernels: kernels)
    rows = Array(repeating: RowMeasure(), count: count)
    var constants = ChunkConstants()
    var row = 0
    try source { rows, count in
      blocks.forEach(of: rows, count) { floats, count in
        project(floats, row..<row + count)
        row += count
      }
    }
    precondition(row == count, "another number of rows than was said")
    codeProjections(&constants)
    row = 0
    try source { rows, count in
      blocks.forEach(of: rows, count) { floats, count in
        rotate(floats, row..<row + count, &constants)
        row += count
      }
    }
    chooseScales(&constants)
    let byteCount = layout.chunkByteCount(rowCount: count)
    return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
      buffer.initialize(repeating: 0)
      let chunk = UnsafeMutableRawBufferPointer(buffer)
      writeComponents(chunk, &constants)
      writeBounds(chunk, &constants)
      constants.encode(into: chunk)
      initializedCount = byteCount
    }
  }

  /// Finds a = <x, u>.
  private func project(_ floats: UnsafePointer<Float>, _ range: Range<Int>) {
    for (index, row) in range.enumerated() {
      rows[row].projection = ek_dot_f32_f64(
        floats + index * layout.dimension, basis.direction, layout.dimension)
    }
  }

  private func codeProjections(_ constants: inout ChunkConstants) {
    let smallest = rows.lazy.map(\.projection).min() ?? 0
    let largest = rows.lazy.map(\.projection).max() ?? 0
    constants.projectionBase = Float(smallest)
    constants.projectionStep = Float((largest - smallest) / 255)
    let (base, step) = (Double(constants.projectionBase), Double(constants.projectionStep))
    for index in rows.indices {
      let code = step > 0 ? ((rows[index].projection - base) / step).rounded() : 0
      rows[index].projectionCode = Self.byte(code)
    }
  }

  /// Finds r = x - a·u, with the a that its code stands for, and y = T·r.
  private func rotate(
    _ floats: UnsafePointer<Float>, _ range: Range<Int>, _ constants: inout ChunkConstants
  ) {
    let dimension = layout.dimension
    let (base, step) = (Double(constants.projectionBase), Double(constants.projectionStep))
    let squaredDirection = ek_dot_f32_f64(basis.direction, basis.direction, dimension)
    var (slip, longest) = (0.0, 0.0)
    for (index, row) in range.enumerated() {
      let projection = base + step * Double(rows[row].projectionCode)
      let rest = rests.base + index * dimension
      ek_subtract_projection(
        floats + index * dimension, basis.direction, projection, dimension, rest)
      var sum = 0.0
      for component in 0..<dimension { sum += rest[component] * rest[component] }
      rows[row].squaredRest = sum * (1 + Self.smallSlack)
      slip = max(slip, abs(rows[row].projection - projection * squaredDirection))
      longest = max(longest, rows[row].squaredRest)
    }
    multiplyTransposed(
      left: rests.base, leftCount: range.count, right: rotation.base,
      rightCount: layout.rotatedCount, depth: dimension, products: products.base,
      productStride: layout.rotatedCount)
    for (index, row) in range.enumerated() {
      keepRotated(products.base + index * layout.rotatedCount, row)
    }
    let rest = longest.squareRoot()
    constants.largestSlip = max(constants.largestSlip, Self.roundedUp(slip + 1e-12 * rest))
    constants.largestRest = max(constants.largestRest, Self.roundedUp(rest))
  }

  private func keepRotated(_ products: UnsafePointer<Double>, _ row: Int) {
    let target = rotated.base + row * layout.paddedCount
    for index in 0..<layout.paddedCount {
      (target + index).initialize(to: index < layout.rotatedCount ? Float(products[index]) : 0)
    }
    var sum = 0.0
    for (index, segment) in layout.segments.enumerated() {
      for component in segment.start..<segment.start + segment.width {
        sum += Double(target[component]) * Double(target[component])
      }
      rows[row].squaredNorms[index] = sum
      let largest = units(segment) {
        ek_largest_component(target + segment.start, $0, segment.width)
      }
      rows[row].scales[index] = largest / 127.5
    }
  }

  private func units<Result>(
    _ segment: CodeLayout.Segment, _ body: (UnsafePointer<Float>) -> Result
  ) -> Result {
    basis.units.withUnsafeBufferPointer {
      // There is a unit for every 32 components.
      body($0.baseAddress! + segment.start / CodeLayout.unitWidth)
    }
  }

  private func chooseScales(_ constants: inout ChunkConstants) {
    for segment in layout.segments.indices {
      let largest = rows.lazy.map { $0.scales[segment] }.max() ?? 0
      let step = Float(roundingUp: Double(largest) / 255)
      constants.scaleSteps[segment] = step
      for index in rows.indices {
        let code = step > 0 ? (rows[index].scales[segment] / step).rounded(.up) : 0
        rows[index].scaleCodes[segment] = max(Self.byte(Double(code)), 1)
      }
    }
  }

  // MARK: - Bytes

  private func writeComponents(
    _ chunk: UnsafeMutableRawBufferPointer, _ constants: inout ChunkConstants
  ) {
    let codes = UnsafeMutablePointer<UInt8>.allocate(capacity: layout.paddedCount)
    defer { codes.deallocate() }
    var (highNorms, fullNorms) = (SIMD4<Double>(), SIMD4<Double>())
    for row in rows.indices {
      var (high, full) = (0.0, 0.0)
      for (index, segment) in layout.segments.enumerated() {
        let scale = Double(constants.scaleSteps[index]) * Double(rows[row].scaleCodes[index])
        let errors = units(segment) {
          ek_code_components(
            rotated.base + row * layout.paddedCount + segment.start, $0, segment.width, scale,
            codes + segment.start)
        }
        high += errors.high
        full += errors.full
        rows[row].errors[index] = high.squareRoot()
        highNorms[index] = max(highNorms[index], errors.high_norm)
        fullNorms[index] = max(fullNorms[index], errors.full_norm)
      }
      rows[row].errors[layout.lastStage] = full.squareRoot()
      findRests(row)
      writeGroup(chunk, row, codes)
      for stage in 1..<layout.stageCount { writeRecord(chunk, row, stage, codes) }
    }
    for index in 0..<4 {
      constants.highNorms[index] = Self.roundedUp(highNorms[index].squareRoot())
      constants.fullNorms[index] = Self.roundedUp(fullNorms[index].squareRoot())
    }
  }

  /// Writes the row's share of the lines of its group.
  private func writeGroup(
    _ chunk: UnsafeMutableRawBufferPointer, _ row: Int, _ codes: UnsafePointer<UInt8>
  ) {
    let byteCount = layout.stages[0].packedByteCount
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { packed in
      ek_pack_nibbles(codes, layout.segments[0].width, 1, packed.baseAddress!)
      let offset = groupOffset(row) + row % CodeLayout.groupRowCount * 4
      for byte in 0..<byteCount { chunk[offset + byte / 4 * 64 + byte % 4] = packed[byte] }
    }
  }

  private func writeRecord(
    _ chunk: UnsafeMutableRawBufferPointer, _ row: Int, _ stage: Int,
    _ codes: UnsafePointer<UInt8>
  ) {
    let bytes = chunk.bindMemory(to: UInt8.self).baseAddress! + recordOffset(row, stage)
    var offset = 0
    let isHigh: CInt = stage == layout.lastStage ? 0 : 1
    for index in layout.stages[stage].segments {
      let segment = layout.segments[index]
      ek_pack_nibbles(codes + segment.start, segment.width, isHigh, bytes + offset)
      offset += segment.width / 2
    }
    for index in layout.stages[stage].segments {
      bytes[offset] = rows[row].scaleCodes[index]
      offset += 1
    }
  }

  /// What each stage has not read: the segments behind it, and what T does not show at all.
  private func findRests(_ row: Int) {
    let measure = rows[row]
    let all = measure.squaredNorms[layout.segments.count - 1]
    // |r - Tᵀy|² <= |r|² - |y|² + (2·2⁻²⁴ + |T·Tᵀ - 1|)·|y|², y being rounded to Float32.
    let unseen =
      max(measure.squaredRest - all, 0) + (0x1p-23 + Double(basis.defect)) * all * 1.000_001
    for stage in 0..<layout.stageCount {
      let seen = measure.squaredNorms[layout.lastSegment(ofStage: stage)]
      rows[row].rests[stage] = (max(all - seen, 0) + unseen).squareRoot()
    }
  }

  private func writeBounds(
    _ chunk: UnsafeMutableRawBufferPointer, _ constants: inout ChunkConstants
  ) {
    for stage in 0..<layout.stageCount {
      constants.errorSteps[stage] = Self.step(rows.lazy.map { $0.errors[stage] }.max() ?? 0)
      constants.restSteps[stage] = Self.step(rows.lazy.map { $0.rests[stage] }.max() ?? 0)
      for row in rows.indices {
        let error = Self.code(rows[row].errors[stage], constants.errorSteps[stage])
        let rest = Self.code(rows[row].rests[stage], constants.restSteps[stage])
        if stage == 0 {
          let offset =
            groupOffset(row) + layout.segments[0].width * 8 + row % CodeLayout.groupRowCount
          chunk[offset] = rows[row].projectionCode
          chunk[offset + 16] = rows[row].scaleCodes[0]
          chunk[offset + 32] = error
          chunk[offset + 48] = rest
        } else {
          let layout = layout.stages[stage]
          let offset = recordOffset(row, stage) + layout.packedByteCount + layout.segments.count
          chunk[offset] = error
          chunk[offset + 1] = rest
        }
      }
    }
  }

  private func groupOffset(_ row: Int) -> Int {
    layout.range(ofStage: 0, rowCount: rows.count).lowerBound
      + row / CodeLayout.groupRowCount * (layout.segments[0].width * 8 + 64)
  }

  private func recordOffset(_ row: Int, _ stage: Int) -> Int {
    layout.range(ofStage: stage, rowCount: rows.count).lowerBound
      + row * layout.byteCount(ofStage: stage)
  }

  /// Above the rounding of a sum of up to 4,096 squares in Float64.
  private static let smallSlack = 1e-12

  private static func roundedUp(_ value: Double) -> Float {
    Float(roundingUp: value * (1 + smallSlack))
  }

  /// A unit of which 255 hold `largest`.
  private static func step(_ largest: Double) -> Float {
    roundedUp(largest / 255)
  }

  /// The smallest code that stands for no less than `value`.
  private static func code(_ value: Double, _ step: Float) -> UInt8 {
    guard step > 0 else { return 0 }
    let rounding: FloatingPointRoundingRule =
      BoundSabotage.applies(.roundsDown) ? .down : .up
    let code = (value * (1 + smallSlack) / Double(step)).rounded(rounding)
    return byte(code)
  }

  /// The nearest byte; 0 for what is not a number, which only rows of a damaged file lead to.
  private static func byte(_ value: Double) -> UInt8 {
    value > 0 ? UInt8(min(value, 255)) : 0
  }
}
