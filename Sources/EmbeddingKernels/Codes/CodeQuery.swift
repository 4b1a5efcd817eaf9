import CEmbeddingKernels

/// A query rotated and coded in bytes for one basis, with the norms that bounds need.
///
/// The query q becomes b·u + p, p becomes z = T·p, and each segment of z, in units, becomes bytes
/// times a scale. Norms are in Float64 and rounded up.
package final class CodeQuery: Sendable {
  package let layout: CodeLayout
  /// Bytes of the basis that were read.
  package let readByteCount: Int
  /// <q, u>, and b, the Float32 next to it.
  let projection: Double
  let projectionMagnitude: Double
  let segments: [Segment]
  /// Of each stage, |z| of what it has seen and of everything else.
  let seenNorms: [Double]
  let restNorms: [Double]
  /// |p - (q - b·u)|, no less.
  let restRounding: Double
  /// What |<p, r> - <z, y>| is at most, per |r|, beyond |p - Tᵀz|·|r - Tᵀy|.
  let rotationSlack: Double
  /// What K of a row differs from the exact product at most.
  let kernelError: Double
  let bytes: [Int8]

  struct Segment: Sendable {
    var start = 0
    var width = 0
    /// What one unit of byte is worth, in units of the components.
    var scale: Float = 0
    /// 15 times the sum of the bytes.
    var offset: Int32 = 0
    /// |z - scale·bytes| and |scale·bytes|, in units.
    var error = 0.0
    var norm = 0.0
  }

  /// Nil when `basis` is no basis of this layout, or when the query or the rows are so long or so
  /// short that Float32 arithmetic may leave its range.
  package init?(_ query: PreparedQuery, basis: RawSpan, _ layout: CodeLayout, rowLength: Float) {
    let product = Double(query.length) * Double(rowLength)
    guard query.dimension == layout.dimension, product > 1e-15, product < 1e15,
      query.length > 1e-12, query.length < 1e12
    else { return nil }
    let rotated = CodeBasis.withView(of: basis, layout) { view in
      RotatedQuery(query, view, layout)
    }
    guard let rotated else { return nil }
    self.layout = layout
    readByteCount = CodeBasis.byteCount(layout)
    projection = rotated.projection
    projectionMagnitude = abs(rotated.projection) * (1 + 0x1p-23)
    segments = rotated.segments
    bytes = rotated.bytes
    let dimension = Double(layout.dimension)
    let gamma = dimension * 0x1p-24 / (1 - dimension * 0x1p-24)
    let all = rotated.squaredNorms.last ?? 0
    let norm = all.squareRoot()
    let restNorm = rotated.squaredRest.squareRoot()
    // z is within γ·|T|·|p| of T·p in whatever order it is added up, |T| <= √(D + defect·√D).
    let defect = Double(rotated.defect)
    let rows = Double(layout.rotatedCount)
    let rounding = gamma * (rows + defect * rows.squareRoot()).squareRoot() * restNorm
    let unseen = max(rotated.squaredRest - all, 0) + 2 * rounding * norm + defect * all
    let seen = (0..<layout.stageCount).map {
      rotated.squaredNorms[layout.lastSegment(ofStage: $0)]
    }
    seenNorms = seen.map { $0.squareRoot() * Self.slack }
    restNorms = seen.map { (max(all - $0, 0) + unseen).squareRoot() * Self.slack }
    restRounding = 0x1p-23 * restNorm * Self.slack
    // With |y| <= (1 + defect)·|r| and |y - T·r| <= 2⁻²³·|r|.
    rotationSlack = ((3 * defect * norm + rounding) * (1 + defect) + 0x1p-23 * norm) * Self.slack
    // K adds in 64 lanes and a tree of six levels; see `ProductMargin`.
    let additions = (dimension / 64).rounded(.up) + 7
    let kernelGamma = additions * 0x1p-24 / (1 - additions * 0x1p-24)
    kernelError = (kernelGamma * product + dimension * 0x1p-148 + 1e-12 * product) * Self.slack
  }

  /// Above the rounding of any of the norms' Float64 sums.
  private static let slack = 1 + 1e-9
}

/// The arithmetic of `CodeQuery` that needs the basis.
private struct RotatedQuery {
  var projection = 0.0
  var defect: Float = 0
  var squaredRest = 0.0
  var segments: [CodeQuery.Segment] = []
  /// |z|² of the segments up to each.
  var squaredNorms: [Double] = []
  var bytes: [Int8] = []

  init?(_ query: PreparedQuery, _ basis: CodeBasis.View, _ layout: CodeLayout) {
    let dimension = layout.dimension
    defect = basis.defect
    projection = ek_dot_f32_f64(query.vector, basis.direction, dimension)
    let share = Double(Float(projection))
    var rest = [Float](repeating: 0, count: dimension)
    for index in 0..<dimension {
      rest[index] = Float(Double(query.vector[index]) - share * Double(basis.direction[index]))
      squaredRest += Double(rest[index]) * Double(rest[index])
    }
    var rotated = [Float](repeating: 0, count: layout.paddedCount)
    ek_products_f32(basis.rotation, layout.rotatedCount, rest, dimension, &rotated)
    guard projection.isFinite, squaredRest.isFinite, defect >= 0, defect < CodeBasis.largestDefect
    else { return nil }
    bytes = [Int8](repeating: 0, count: layout.paddedCount)
    var sum = 0.0
    for segment in layout.segments {
      let range = segment.start..<segment.start + segment.width
      for index in range { sum += Double(rotated[index]) * Double(rotated[index]) }
      squaredNorms.append(sum)
      segments.append(code(rotated, range, basis.units))
    }
    guard sum.isFinite, segments.allSatisfy({ $0.error.isFinite && $0.norm.isFinite }) else {
      return nil
    }
  }

  private mutating func code(
    _ rotated: [Float], _ range: Range<Int>, _ units: UnsafePointer<Float>
  ) -> CodeQuery.Segment {
    var segment = CodeQuery.Segment(start: range.lowerBound, width: range.count)
    func weighted(_ index: Int) -> Double {
      Double(rotated[index]) * Double(units[index / CodeLayout.unitWidth])
    }
    // A file may hold any numbers, and a comparison with what is none says nothing.
    guard range.allSatisfy({ weighted($0).isFinite }) else {
      segment.error = .infinity
      return segment
    }
    let largest = range.reduce(0) { max($0, abs(weighted($1))) }
    segment.scale = Float(largest / 127)
    let scale = Double(segment.scale)
    var (error, norm) = (0.0, 0.0)
    for index in range {
      let value = weighted(index)
      let byte = scale > 0 ? min(max((value / scale).rounded(), -127), 127) : 0
      bytes[index] = Int8(byte)
      segment.offset += 15 * Int32(byte)
      error += (value - scale * byte) * (value - scale * byte)
      norm += scale * byte * scale * byte
    }
    segment.error = error.squareRoot()
    segment.norm = norm.squareRoot()
    return segment
  }
}
