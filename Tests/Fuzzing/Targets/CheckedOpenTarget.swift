import EmbeddingFiles

/// The files of a store, opened after every checksum was made to hold.
struct CheckedOpenTarget: FuzzTarget {
  let name = "open-checked"

  func seeds() throws -> [[UInt8]] { try OpenTarget().seeds() }

  func run(_ input: [UInt8]) throws {
    var image = StoreImage(input: input)
    image.seal()
    try Examination(image.fileSystem()).run()
  }
}
