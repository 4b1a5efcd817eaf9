/// A few directions that see most of what rows differ in.
///
/// A row x is sketched by p = V·x, one number for each direction, and by the length r of what is
/// left, x - Vᵀ·p. By the inequality of Cauchy and Schwarz x·y <= p·p' + r·r': the product of two
/// sketches bounds the score, at the cost of `width` instead of all components.
///
/// V is orthonormal but for e = ‖V·Vᵀ - 1‖, and p is V·x but for some δ with |δ| <= γ·√m·(1 + e)·|x|,
/// m being the directions and γ that of `ProductMargin`. With c = e + |δ|/|x| follows, all rows being
/// no longer than L:
///
///     |V·(x - Vᵀp)| = |δ + (V·Vᵀ - 1)·p|      <= 1.1·c·L
///     r²            <= |x|² - |p|² + 3·c·L²      which is what a sketch holds the root of
///     x·y           <= p·p' + r·r' + 4·c·L²
///
/// Any directions give a bound; how well they fit decides how near it is.
package struct SketchBasis: Sendable {
  package let dimension: Int
  /// Numbers in a sketch.
  package var width: Int { directions.count / dimension + 1 }
  let directions: [Float]
  /// c.
  let defect: Double

  /// Above this the bound would be of no use, and what is neglected above would not be small.
  private static let largestDefect = 0.01

  /// Nil when the directions, whole rows of `dimension` components, are not nearly orthonormal.
  package init?(directions: [Float], dimension: Int) {
    precondition(
      dimension > 0 && directions.count.isMultiple(of: dimension), "a direction has a dimension")
    self.directions = directions
    self.dimension = dimension
    let count = directions.count / dimension
    let error = Double(
      orthonormalityDefect(directions, count: count, dimension: dimension))
    let roundings = Double(dimension) * 0x1p-24
    let gamma = roundings / (1 - roundings)
    defect = error + gamma * Double(count).squareRoot() * (1 + error)
    // The other way about NaN would pass.
    guard defect < Self.largestDefect else { return nil }
  }

  /// What the score K of two rows no longer than `rowLength` is at most above the product of their
  /// sketches.
  func margin(rowLength: Float) -> Float {
    let squared = Double(rowLength) * Double(rowLength)
    // A sketch is about as long as its row.
    return Float(roundingUp: 4 * defect * squared)
      + ProductMargin.bound(dimension: width, lengths: 1.1 * squared)
      + ProductMargin.bound(dimension: dimension, lengths: squared)
  }

  /// What to add to |x|² - |p|² so that the root is no less than r.
  func residualSlack(rowLength: Float) -> Double {
    3 * defect * Double(rowLength) * Double(rowLength)
  }
}
