/// How far a matrix product's score and K can be apart.
///
/// As in `MatrixScorer.errorBound`: both err by at most γ_d |a||b| (Higham, Accuracy and Stability
/// of Numerical Algorithms, section 3.1), and underflow adds a little.
enum ProductMargin {
  static func bound(dimension: Int, lengths: Double) -> Float {
    let roundings = Double(dimension) * 0x1p-24
    let gamma = roundings / (1 - roundings)
    let underflow = Double(dimension) * 0x1p-148
    return Float(roundingUp: (2 * gamma * lengths + underflow) * (1 + 0x1p-50))
  }
}
