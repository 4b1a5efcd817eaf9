/// SplitMix64: the same numbers from the same seed, everywhere.
struct RandomNumbers {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }

  /// Evenly distributed from 0 up to `bound`, which is far below 2^32.
  mutating func below(_ bound: Int) -> Int {
    Int(((next() >> 32) &* UInt64(bound)) >> 32)
  }

  /// Nearly normal, with mean 0 and variance 1: the sum of four even numbers of 16 bits, which
  /// takes no function whose last bit depends on the system.
  mutating func normal() -> Float {
    let bits = next()
    let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + bits >> 48
    return (Float(sum) - 131_070) * (1.732_050_8 / 65_536)
  }
}
