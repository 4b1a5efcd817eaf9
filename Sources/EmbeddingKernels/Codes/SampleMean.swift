/// Where the rows of a sample point together.
struct SampleMean {
  private var sums: [Double]
  private var count = 0

  init(dimension: Int) {
    sums = Array(repeating: 0, count: dimension)
  }

  /// Adds rows, one behind the other.
  mutating func add(_ rows: UnsafePointer<Float>, _ count: Int) {
    for row in 0..<count {
      for index in sums.indices { sums[index] += Double(rows[row * sums.count + index]) }
    }
    self.count += count
  }

  /// The mean at length 1; zero when rows point every which way and there is none to speak of.
  var direction: [Float] {
    let length = sums.reduce(0) { $0 + $1 * $1 }.squareRoot()
    guard length > 1e-6 * Double(max(count, 1)) else {
      return Array(repeating: 0, count: sums.count)
    }
    return sums.map { Float($0 / length) }
  }
}
