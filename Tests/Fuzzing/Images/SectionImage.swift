import EmbeddingFiles
import EmbeddingStores

/// A store of three rows whose labels and details are as the input says: for each of their
/// sections, two bytes of its size and its bytes.
enum SectionImage {
  private static let kinds: [SectionKind] = [
    .labelOffsets, .labelBytes, .rowLabelOffsets, .rowLabels, .detailLocations, .detailBlocks,
    .detailBytes,
  ]

  private static let template = Result {
    let fileSystem = try SeedStore.make(.none) { store in
      try store.put((0..<3).map { Record(key: "key \($0)", vector: [1, Float($0), 0, 0]) })
      try store.compact()
    }
    return try StoreImage(of: fileSystem)
  }

  static func fileSystem(_ source: inout ByteSource) throws -> MemoryFileSystem {
    var image = try template.get()
    let main = image[.main] ?? []
    let header = try main.withRawSpan { (span) throws(StorageError) in
      try MainHeader(span, fileByteCount: UInt64(main.count), path: "")
    }
    var sections = header.sections.map { section in
      (section.kind, Int(section.itemCount), main[section.bytes])
    }
    for kind in kinds {
      let bytes = source.bytes(source.number(byteCount: 2))
      let itemByteCount = itemByteCount(kind)
      let itemCount = itemCount(kind, rowCount: header.rowCount) ?? bytes.count / itemByteCount
      let missing = max(0, itemCount * itemByteCount - bytes.count)
      let padded = bytes + [UInt8](repeating: 0, count: missing)
      sections.append((kind.rawValue, itemCount, padded.prefix(itemCount * itemByteCount)))
    }
    image[.main] = assemble(header, sections)
    image.seal()
    return try image.fileSystem()
  }

  /// The sections of a store's main file, as input; they may belong to more rows than three.
  static func input(from fileSystem: MemoryFileSystem) throws -> [UInt8] {
    let main = try StoreImage(of: fileSystem)[.main] ?? []
    let header = try main.withRawSpan { (span) throws(StorageError) in
      try MainHeader(span, fileByteCount: UInt64(main.count), path: "")
    }
    return kinds.flatMap { kind in
      let bytes = header[kind].map { main[$0.bytes] } ?? []
      return [UInt8(bytes.count & 0xff), UInt8(bytes.count >> 8)] + bytes
    }
  }

  /// Header, sections and an empty checksum table, for `seal` to fill.
  private static func assemble(
    _ header: MainHeader, _ sections: [(kind: UInt32, itemCount: Int, bytes: ArraySlice<UInt8>)]
  ) -> [UInt8] {
    var header = header
    header.sections = []
    var body = [UInt8](repeating: 0, count: MainHeader.byteCount)
    for (kind, itemCount, bytes) in sections {
      body += [UInt8](repeating: 0, count: (64 - body.count % 64) % 64)
      header.sections.append(
        Section(
          kind: kind, offset: UInt64(body.count), byteCount: UInt64(bytes.count),
          itemCount: UInt64(itemCount)))
      body += bytes
    }
    header.checksumsOffset = UInt64(body.count)
    let block = MainHeader.blockByteCount
    header.checksumCount = (body.count - MainHeader.byteCount + block - 1) / block
    body += [UInt8](repeating: 0, count: 4 * header.checksumCount)
    header.fileByteCount = UInt64(body.count)
    body.replaceSubrange(0..<MainHeader.byteCount, with: header.encoded())
    return body
  }

  private static func itemByteCount(_ kind: SectionKind) -> Int {
    switch kind {
    case .labelOffsets, .rowLabelOffsets, .rowLabels: 4
    case .detailLocations, .detailBlocks: 16
    default: 1
    }
  }

  /// How many items a section must have, if the number of rows says so.
  private static func itemCount(_ kind: SectionKind, rowCount: Int) -> Int? {
    switch kind {
    case .rowLabelOffsets: rowCount + 1
    case .detailLocations: rowCount
    default: nil
    }
  }
}

extension Section {
  fileprivate var bytes: Range<Int> { Int(offset)..<Int(offset + byteCount) }
}
