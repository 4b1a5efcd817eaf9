/// A fixed random rotation, so that directions of large variance do not lie along components.
///
/// Rounds of plane rotations of random pairs: a few operations per component instead of one per
/// pair of components.
struct Rotation {
  private struct Turn {
    var first: Int
    var second: Int
    var cosine: Float
    var sine: Float
  }

  private var turns: [Turn] = []

  init(dimension: Int, _ random: inout RandomNumbers) {
    var order = Array(0..<dimension)
    for _ in 0..<12 {
      for last in stride(from: dimension - 1, to: 0, by: -1) {
        order.swapAt(last, random.below(last + 1))
      }
      for pair in stride(from: 0, to: dimension - 1, by: 2) {
        turns.append(Self.turn(order[pair], order[pair + 1], &random))
      }
    }
  }

  func apply(to vector: inout [Float]) {
    for turn in turns {
      let (first, second) = (vector[turn.first], vector[turn.second])
      vector[turn.first] = turn.cosine * first - turn.sine * second
      vector[turn.second] = turn.sine * first + turn.cosine * second
    }
  }

  /// A random angle, as a point of the unit circle made by throwing away those outside it.
  private static func turn(_ first: Int, _ second: Int, _ random: inout RandomNumbers) -> Turn {
    while true {
      let x = Float(random.below(1 << 16)) / 32_768 - 1
      let y = Float(random.below(1 << 16)) / 32_768 - 1
      let square = x * x + y * y
      if square > 0.01, square <= 1 {
        let length = square.squareRoot()
        return Turn(first: first, second: second, cosine: x / length, sine: y / length)
      }
    }
  }
}
