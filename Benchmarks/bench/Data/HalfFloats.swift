/// Half floats as they lie in files, widened without the library's kernels, which they check.
enum HalfFloats {
  /// The value of every bit pattern.
  static let values: [Float] = (0...UInt16.max).map(value)

  private static func value(of bits: UInt16) -> Float {
    let sign: Float = bits & 0x8000 == 0 ? 1 : -1
    let exponent = Int(bits >> 10 & 0x1F)
    let fraction = Float(bits & 0x3FF) / 1_024
    switch exponent {
    case 0: return sign * fraction * 0x1p-14
    case 31: return fraction == 0 ? sign * .infinity : .nan
    default: return Float(sign: .plus, exponent: exponent - 15, significand: sign * (1 + fraction))
    }
  }
}
