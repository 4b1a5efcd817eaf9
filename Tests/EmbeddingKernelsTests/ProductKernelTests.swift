import CEmbeddingKernels
import Testing

@Suite struct ProductKernelTests {
  @Test func productsHaveTheBitsOfTheDefinitionAndAreNearTheExactOnes() {
    var random = SeededGenerator()
    let rowCount = 3
    for dimension in scoredDimensions {
      let rows = random.floats(rowCount * dimension, exponents: -4...4)
      let vector = random.floats(dimension, exponents: -4...4)
      var found = [Float](repeating: .nan, count: rowCount + 1)
      ek_products_f32(rows, rowCount, vector, dimension, &found)
      for row in 0..<rowCount {
        let components = rows[row * dimension..<(row + 1) * dimension]
        #expect(
          found[row].bitPattern == oracleProduct(components, vector).bitPattern,
          "dimension \(dimension), \(random.replay)")
        let exact = zip(components, vector).map { Double($0) * Double($1) }
        let error = abs(Double(found[row]) - exact.reduce(0, +))
        let magnitude = exact.reduce(0) { $0 + abs($1) }
        #expect(error <= gamma(dimension) * magnitude, "dimension \(dimension), \(random.replay)")
      }
      #expect(found[rowCount].isNaN, "wrote one product too many")
    }
  }

  /// Float32 throughout: 32 lanes that are halved until one is left, then what fills no 32.
  private func oracleProduct(_ row: ArraySlice<Float>, _ vector: [Float]) -> Float {
    let products = zip(row, vector).map { $0 * $1 }
    var lanes = [Float](repeating: 0, count: 32)
    let whole = products.count / 32 * 32
    for index in 0..<whole { lanes[index % 32] += products[index] }
    while lanes.count > 1 {
      lanes = zip(lanes.prefix(lanes.count / 2), lanes.suffix(lanes.count / 2)).map(+)
    }
    return products[whole...].reduce(lanes[0], +)
  }
}
