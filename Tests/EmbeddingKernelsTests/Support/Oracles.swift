// What the kernels are checked against: written from the definitions, in plain Swift, and not for
// speed.

/// The value of each finite non-negative half, indexed by its bit pattern; then 65536, the value
/// that infinity takes the place of when rounding.
let halfValues: [Double] = (0...0x7C00).map { bits in
  let exponent = bits >> 10
  let fraction = Double(bits & 0x3FF)
  if exponent == 0 { return fraction * 0x1p-24 }
  return Double(sign: .plus, exponent: exponent - 15, significand: 1 + fraction / 1024)
}

/// The float that a half stands for.
func oracleFloat(_ half: UInt16) -> Float {
  let sign = UInt32(half >> 15) << 31
  let magnitude = Int(half & 0x7FFF)
  if magnitude > 0x7C00 {
    return Float(bitPattern: sign | 0x7FC0_0000 | UInt32(magnitude & 0x3FF) << 13)
  }
  let value = magnitude == 0x7C00 ? Float.infinity : Float(halfValues[magnitude])
  return Float(bitPattern: value.bitPattern | sign)
}

/// The half nearest to a float, the even one of two that are equally near.
func oracleHalf(_ value: Float) -> UInt16 {
  let sign = UInt16(value.bitPattern >> 31) << 15
  if value.isNaN {
    return sign | 0x7E00 | UInt16(truncatingIfNeeded: value.bitPattern >> 13) & 0x3FF
  }
  let magnitude = Double(value.magnitude)
  if magnitude >= 65536 { return sign | 0x7C00 }
  // The last half that is not above.
  var low = 0
  var high = 0x7C00
  while high - low > 1 {
    let middle = (low + high) / 2
    if halfValues[middle] <= magnitude { low = middle } else { high = middle }
  }
  // Twice the value and the sum of two adjacent halves are both exact.
  let sum = halfValues[low] + halfValues[low + 1]
  let isAbove = 2 * magnitude > sum || (2 * magnitude == sum && low % 2 == 1)
  return sign | UInt16(isAbove ? low + 1 : low)
}

/// K by its definition: 64 lanes, fused multiply-adds in increasing order, a fixed tree.
func oracleScore(row: some Collection<UInt16>, query: some Collection<Float>) -> Float {
  var lanes = [Float](repeating: 0, count: 64)
  for (index, (half, component)) in zip(row, query).enumerated() {
    lanes[index % 64] = lanes[index % 64].addingProduct(oracleFloat(half), component)
  }
  return halved(lanes) + 0
}

/// The sum of squares by its definition: 32 lanes of doubles, a fixed tree.
func oracleSumOfSquares(_ values: [Float]) -> Double {
  var lanes = [Double](repeating: 0, count: 32)
  for (index, value) in values.enumerated() {
    lanes[index % 32] += Double(value) * Double(value)
  }
  return halved(lanes)
}

/// Adds lane i and lane i + half until one is left.
private func halved<T: FloatingPoint>(_ lanes: [T]) -> T {
  var lanes = lanes
  while lanes.count > 1 {
    let half = lanes.count / 2
    lanes = (0..<half).map { lanes[$0] + lanes[$0 + half] }
  }
  return lanes[0]
}

/// γ_n of Higham, Accuracy and Stability of Numerical Algorithms, section 3.1, for Float32.
func gamma(_ n: Int) -> Double { Double(n) * 0x1p-24 / (1 - Double(n) * 0x1p-24) }
