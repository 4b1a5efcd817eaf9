import EmbeddingKernels

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// SplitMix64. A new seed every run, or the one in EMBEDDING_TEST_SEED to replay a failure.
struct SeededGenerator: RandomNumberGenerator {
  let seed: UInt64
  private var state: UInt64

  init() {
    let given = getenv("EMBEDDING_TEST_SEED").flatMap { UInt64(String(cString: $0)) }
    seed = given ?? .random(in: 0..<1_000_000_000)
    state = seed
  }

  /// What to print with a failure.
  var replay: String { "replay with EMBEDDING_TEST_SEED=\(seed)" }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Any finite half, all exponents alike.
  mutating func half() -> UInt16 {
    let bits = UInt16(truncatingIfNeeded: next())
    return bits & 0x7C00 == 0x7C00 ? bits & 0x83FF : bits
  }

  /// A float with an exponent in the range given and any mantissa and sign.
  mutating func float(exponents: ClosedRange<Int> = -20...20) -> Float {
    let exponent = Int.random(in: exponents, using: &self)
    let sign: FloatingPointSign = Bool.random(using: &self) ? .minus : .plus
    let mantissa = Float.random(in: 1..<2, using: &self)
    return Float(sign: sign, exponent: exponent, significand: mantissa)
  }

  mutating func floats(_ count: Int, exponents: ClosedRange<Int> = -20...20) -> [Float] {
    (0..<count).map { _ in float(exponents: exponents) }
  }
}
