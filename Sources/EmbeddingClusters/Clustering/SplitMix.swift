/// The SplitMix64 generator (Steele, Lea, Flood 2014): the same numbers for a seed everywhere.
struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  /// A number in 0..<1 with 53 random bits.
  mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A number below `bound`, which is positive; the bias is below bound / 2⁶⁴.
  mutating func next(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// `count` different numbers below `bound`, ascending: Floyd's method (Bentley 1987).
  mutating func sample(_ count: Int, below bound: Int) -> [Int] {
    guard count < bound else { return Array(0..<bound) }
    var chosen: Set<Int> = []
    for last in bound - count..<bound {
      let candidate = next(below: last + 1)
      chosen.insert(chosen.contains(candidate) ? last : candidate)
    }
    return chosen.sorted()
  }
}
