import EmbeddingFiles

/// The files of a store, opened as they are.
struct OpenTarget: FuzzTarget {
  let name = "open"

  func seeds() throws -> [[UInt8]] {
    try SeedStore.all().map { try StoreImage(of: $0).encoded() }
  }

  func run(_ input: [UInt8]) throws {
    try Examination(StoreImage(input: input).fileSystem()).run()
  }
}
