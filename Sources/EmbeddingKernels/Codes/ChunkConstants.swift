/// What the bytes of one chunk of codes mean: the chunk's first 104 bytes, Float32 each.
///
/// ```
/// offset  size
///      0     4  a of code 0
///      4     4  a per unit of code
///      8     4  no less than any |<u, x - a·u>|
///     12     4  no less than any |x - a·u|
///     16    16  for each of four segments, scale per unit of code
///     32    16  for each segment, no less than the norm of what a row's high nibbles stand for
///     48    16  the same for whole codes; both in units of the components
///     64    20  for each of five stages, R per unit of code
///     84    20  for each stage, τ per unit of code
///    104    24  zero
/// ```
struct ChunkConstants: Sendable {
  var projectionBase: Float = 0
  var projectionStep: Float = 0
  var largestSlip: Float = 0
  var largestRest: Float = 0
  var scaleSteps = SIMD4<Float>()
  var highNorms = SIMD4<Float>()
  var fullNorms = SIMD4<Float>()
  var errorSteps = SIMD8<Float>()
  var restSteps = SIMD8<Float>()

  private static let stageCount = 5

  init() {}

  init(_ bytes: UnsafeRawBufferPointer) {
    func float(_ index: Int) -> Float {
      Float(
        bitPattern: UInt32(
          littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
    }
    projectionBase = float(0)
    projectionStep = float(1)
    largestSlip = float(2)
    largestRest = float(3)
    for index in 0..<4 {
      scaleSteps[index] = float(4 + index)
      highNorms[index] = float(8 + index)
      fullNorms[index] = float(12 + index)
    }
    for index in 0..<Self.stageCount {
      errorSteps[index] = float(16 + index)
      restSteps[index] = float(16 + Self.stageCount + index)
    }
  }

  func encode(into bytes: UnsafeMutableRawBufferPointer) {
    var floats = [projectionBase, projectionStep, largestSlip, largestRest]
    for list in [scaleSteps, highNorms, fullNorms] { floats += (0..<4).map { list[$0] } }
    for list in [errorSteps, restSteps] { floats += (0..<Self.stageCount).map { list[$0] } }
    for (index, float) in floats.enumerated() {
      bytes.storeBytes(of: float.bitPattern.littleEndian, toByteOffset: 4 * index, as: UInt32.self)
    }
  }
}
