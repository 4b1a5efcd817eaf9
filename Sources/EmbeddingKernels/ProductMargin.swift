/// How far a matrix product's score and K can be apart.
///
/// A sum of d products taken in any order, fused or not, is within γ_d Σ|q_i||x_i| of the exact
/// value, γ_d = d·u / (1 - d·u), u = 2⁻²⁴ (Higham, Accuracy and Stability of Numerical
/// Algorithms, section 3.1), and Σ|q_i||x_i| <= |q||x|. Both scores err, hence twice that. A
/// product that underflows adds at most 2⁻¹⁵⁰ of absolute error. Rounded up.
enum ProductMargin {
  static func bound(dimension: Int, lengths: Double) -> Float {
    let roundings = Double(dimension) * 0x1p-24
    let gamma = roundings / (1 - roundings)
    let underflow = Double(dimension) * 0x1p-148
    return Float(roundingUp: (2 * gamma * lengths + underflow) * (1 + 0x1p-50))
  }
}
