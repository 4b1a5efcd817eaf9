/// No less than the Frobenius norm of M·Mᵀ - 1 for a matrix M of `count` rows, rounded up.
func orthonormalityDefect(_ matrix: [Float], count: Int, dimension: Int) -> Float {
  let wide = matrix.map { Double($0) }
  var products = [Double](repeating: 0, count: count * count)
  multiplyTransposed(
    left: wide, leftCount: count, right: wide, rightCount: count, depth: dimension,
    products: &products, productStride: count)
  for index in 0..<count { products[index * count + index] -= 1 }
  // The products err by less than d·2⁻⁵² each.
  let rounding = Double(count) * Double(dimension) * 0x1p-52
  return Float(roundingUp: products.reduce(0) { $0 + $1 * $1 }.squareRoot() * 1.001 + rounding)
}
