import EmbeddingFiles

/// Operations on a store whose disk fails now and then, each compared with a dictionary.
struct OperationsTarget: FuzzTarget {
  let name = "operations"
  private static let mostOperations = 100

  func seeds() throws -> [[UInt8]] {
    // Every operation by itself between two puts, and long mixed runs.
    let single = OperationRun.Operation.allCases.map { operation in
      [0, 0, 1, 3, 2, 1, 7, UInt8(operation.rawValue), 1, 2, 3, 4, 0, 2, 5, 1, 0, 9]
    }
    let mixed = (0..<8).map { seed in
      (0..<200).map { UInt8(truncatingIfNeeded: ($0 &* 37 &+ seed &* 101) ^ ($0 >> 3)) }
    }
    return single + mixed
  }

  func run(_ input: [UInt8]) throws {
    var source = ByteSource(input)
    var run = try OperationRun(&source)
    var count = 0
    while !source.isEmpty, count < Self.mostOperations {
      try run.step(&source)
      count += 1
    }
    try run.finish()
  }
}
