import EmbeddingFiles
import EmbeddingStores

/// A store whose journal has valid entries with payloads that the input chose: for each, one byte
/// of type, two of its size in units of 8 bytes, and the payload.
enum PayloadImage {
  private static let template = Result { try StoreImage(of: SeedStore.make(.none) { _ in }) }

  static func fileSystem(_ source: inout ByteSource) throws -> MemoryFileSystem {
    var image = try template.get()
    let header = try (image[.journal] ?? []).withRawSpan { (span) throws(StorageError) in
      try JournalHeader(span, path: "")
    }
    var encoder = JournalEncoder(
      at: JournalPosition(after: header), seed: header.checksumSeed, reusing: ByteWriter())
    var entryCount: UInt8 = 0
    while !source.isEmpty {
      guard let kind = JournalEntryHeader.Kind(rawValue: UInt8(1 + source.below(5))) else { break }
      var payload = source.bytes(8 * source.number(byteCount: 2))
      payload += [UInt8](repeating: 0, count: (8 - payload.count % 8) % 8)
      if kind == .commit {
        // A commit counts its entries; the input can not be expected to.
        payload = [entryCount] + [UInt8](repeating: 0, count: 15)
        entryCount = 0
      } else {
        guard entryCount < .max else { break }
        entryCount += 1
      }
      payload.withRawSpan { encoder.append(kind, payload: $0) }
    }
    image[.journal] = header.encoded() + encoder.writer.bytes
    return try image.fileSystem()
  }

  /// The payloads of a store's journal, as input.
  static func input(from fileSystem: MemoryFileSystem) throws -> [UInt8] {
    let journal = try StoreImage(of: fileSystem)[.journal] ?? []
    var input: [UInt8] = []
    var offset = JournalHeader.byteCount
    while let byteCount = journal.number(at: offset + 4) as UInt32? {
      let payload = offset + JournalEntryHeader.byteCount
      let units = byteCount / 8
      input += [journal[offset + 2] - 1, UInt8(units & 0xff), UInt8(units >> 8)]
      input += journal[payload..<payload + Int(byteCount)]
      offset = payload + Int(byteCount)
    }
    return input
  }
}
