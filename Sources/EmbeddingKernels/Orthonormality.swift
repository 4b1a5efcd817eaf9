/// No less than the Frobenius norm of M·Mᵀ - 1 for a matrix M of `count` rows, rounded up.
func orthonormalityDefect(_ matrix: [Float], count: Int, dimension: Int) -> Float {
  let wide = LargeBuffer<Double>(count: matrix.count)
  for index in matrix.indices { (wide.base + index).initialize(to: Double(matrix[index])) }
  let products = LargeBuffer<Double>(count: count * count)
  defer { withExtendedLifetime((wide, products)) {} }
  multiplyTransposed(
    left: wide.base, leftCount: count, right: wide.base, rightCount: count, depth: dimension,
    products: products.base, productStride: count)
  var sum = 0.0
  for row in 0..<count {
    for column in 0..<count {
      let product = products.base[row * count + column] - (row == column ? 1 : 0)
      sum += product * product
    }
  }
  // The products err by less than d·2⁻⁵² each.
  let rounding = Double(count) * Double(dimension) * 0x1p-52
  return Float(roundingUp: sum.squareRoot() * 1.001 + rounding)
}
