import EmbeddingExchange
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@Suite struct FvecsTests {
  private let directory: TemporaryDirectory
  private let url: URL

  init() throws {
    directory = try TemporaryDirectory()
    url = directory.url.appending(path: "base.fvecs")
  }

  private func bytes(_ vectors: [[Float]], counts: [Int32]? = nil) -> Data {
    var data = Data()
    for (row, vector) in vectors.enumerated() {
      let count = counts?[row] ?? Int32(vector.count)
      withUnsafeBytes(of: count.littleEndian) { data.append(contentsOf: $0) }
      for component in vector {
        withUnsafeBytes(of: component.bitPattern.littleEndian) { data.append(contentsOf: $0) }
      }
    }
    return data
  }

  @Test func rowsAreReadAndImported() throws {
    var generator = SeededGenerator("fvecs", seed: .random(in: .min ... .max))
    let vectors = RandomVectors.uniform(1_500, dimension: 5, using: &generator)
    try bytes(vectors).write(to: url)
    let file = try VectorFile(fvecs: url)
    #expect(file.rowCount == 1_500 && file.dimension == 5 && file.elementFormat == .float32)
    #expect(try file.vectors(0..<1_500) == vectors)
    #expect(try file.vectors(700..<702) == Array(vectors[700..<702]))
    let store = try EmbeddingStore(
      inMemory: EmbeddingSpace(model: "test", dimension: 5, normalization: .none))
    try store.importVectors(file, records: .rowNumbers)
    let stored = try #require(try store.vector(for: "1234"))
    for (component, original) in zip(stored, vectors[1_234]) {
      #expect(abs(component - original) <= 0x1p-11)
    }
  }

  @Test func everyOtherLengthIsRefused() throws {
    let whole = bytes([[1, 2, 3], [4, 5, 6]])
    for count in 0...whole.count + 3 where count != 16 && count != 32 {
      try (whole + Data(count: 4)).prefix(count).write(to: url)
      expectError(.malformedFile, naming: "base.fvecs") { _ = try VectorFile(fvecs: url) }
    }
  }

  @Test(arguments: [-1, 0, .min, .max, 1 << 21] as [Int32])
  func aDimensionThatIsNoneIsRefused(_ dimension: Int32) throws {
    try bytes([[1, 2, 3]], counts: [dimension]).write(to: url)
    expectError(.malformedFile, naming: "\(dimension)") { _ = try VectorFile(fvecs: url) }
  }

  @Test func aRowOfAnotherDimensionIsNamed() throws {
    try bytes([[1, 2, 3], [4, 5, 6], [7, 8, 9]], counts: [3, 3, 2]).write(to: url)
    let file = try VectorFile(fvecs: url)
    #expect(try file.vectors(0..<2) == [[1, 2, 3], [4, 5, 6]])
    expectError(.malformedFile, naming: "Row 2") { _ = try file.vectors(0..<3) }
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 3))
    expectError(.malformedFile, naming: "Row 2") {
      try store.importVectors(file, records: .rowNumbers)
    }
    #expect(try store.count() == 0)
  }
}
