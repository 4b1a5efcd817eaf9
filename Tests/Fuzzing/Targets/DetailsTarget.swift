import EmbeddingFiles
import EmbeddingStores

/// What decodes the details of records: the payloads of journal entries, the sections of labels and
/// details in a main file, and compressed blocks, each within files that are otherwise whole.
struct DetailsTarget: FuzzTarget {
  private enum Kind: Int, CaseIterable {
    case payloads, sections, block
  }

  let name = "details"

  func seeds() throws -> [[UInt8]] {
    let stores = try SeedStore.all()
    let payloads = try stores.map { try [0] + PayloadImage.input(from: $0) }
    let sections = try stores.map { try [1] + SectionImage.input(from: $0) }
    let text = Array("some text that repeats, some text that repeats".utf8)
    let block = CompressedBlock.compress(text) ?? []
    return payloads + sections + [[2, UInt8(text.count), 0, 0] + block]
  }

  func run(_ input: [UInt8]) throws {
    var source = ByteSource(input)
    switch Kind.allCases[source.below(Kind.allCases.count)] {
    case .payloads:
      try Examination(PayloadImage.fileSystem(&source)).run()
    case .sections:
      try Examination(SectionImage.fileSystem(&source)).run()
    case .block:
      let byteCount = source.number(byteCount: 3)
      try checkBlock(source.rest(), byteCount: byteCount)
    }
  }

  private func checkBlock(_ bytes: [UInt8], byteCount: Int) throws {
    let unpacked = try? bytes.withRawSpan { (span) throws(StorageError) in
      try CompressedBlock.decompress(span, to: byteCount)
    }
    if let unpacked {
      try FuzzFinding.require(unpacked.count == byteCount, "A block unpacked to another size.")
    }
    for plain in [bytes, unpacked ?? []] {
      guard let packed = CompressedBlock.compress(plain) else { continue }
      try FuzzFinding.require(packed.count < plain.count, "A packed block is not shorter.")
      let back = try packed.withRawSpan { (span) throws(StorageError) in
        try CompressedBlock.decompress(span, to: plain.count)
      }
      try FuzzFinding.require(back == plain, "A block did not come back as it was.")
    }
  }
}
