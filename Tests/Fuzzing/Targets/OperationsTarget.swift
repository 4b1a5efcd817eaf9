import EmbeddingFiles
import EmbeddingTestSupport

/// Operations on a store whose disk fails now and then, each compared with a dictionary.
struct OperationsTarget: FuzzTarget {
  let name = "operations"
  private static let mostOperations = 100

  /// Every operation by itself, every call of the disk failing once, and long mixed runs.
  func seeds() throws -> [[UInt8]] {
    let update = operation(.update, [0x55, 0, 0])
    let reopening = operation(.reopen, [1, 1])
    let single = OperationRun.Operation.allCases.map {
      [0, 1] + put(key: 0) + put(key: 1) + operation($0, [0, 0, 0, 0, 0]) + put(key: 2) + update
    }
    let failing = FaultyFileSystem.Call.allCases.indices.map { call in
      [UInt8(call % 3), 0] + put(key: 0) + operation(.fail, [UInt8(call), UInt8(call & 1) << 7])
        + put(key: 1) + put(key: 2) + operation(.compact) + update + reopening + put(key: 3)
    }
    let mixed = (0..<3).map { seed in
      (0..<200).map { UInt8(truncatingIfNeeded: ($0 &* 37 &+ seed &* 101) ^ ($0 >> 3)) }
    }
    return single + failing + mixed
  }

  private func operation(_ operation: OperationRun.Operation, _ arguments: [UInt8] = []) -> [UInt8]
  {
    [UInt8(operation.rawValue)] + arguments
  }

  /// One record with all details, as part 0.
  private func put(key: UInt8) -> [UInt8] {
    operation(.put, [0, 0xff, key, 0x12, 0x34 + key, 0])
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
