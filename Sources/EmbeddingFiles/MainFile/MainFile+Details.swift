import Synchronization

extension MainFile {
  /// The metadata and text of a row; decompresses their block unless it was used recently.
  package func metadataAndText(
    of row: Int
  ) throws(StorageError) -> (metadata: [UInt8]?, text: String?) {
    guard self[.detailLocations] != nil else { return (nil, nil) }
    let location = try withItems(
      .detailLocations, row..<row + 1, itemByteCount: DetailLocation.byteCount
    ) { (span) throws(StorageError) -> DetailLocation in
      try require(DetailLocation(span))
    }
    let metadataByteCount = try position(location.presentMetadataByteCount)
    let textByteCount = try position(location.presentTextByteCount)
    guard
      location.metadataByteCount != DetailLocation.none
        || location.textByteCount != DetailLocation.none
    else { return (nil, nil) }
    guard metadataByteCount <= FormatLimits.metadataByteCount,
      textByteCount <= FormatLimits.textByteCount
    else { throw damage("the details of a row are longer than the format allows") }
    // Details without a byte are in no block.
    guard metadataByteCount + textByteCount > 0 else {
      return (
        location.metadataByteCount == DetailLocation.none ? nil : [],
        location.textByteCount == DetailLocation.none ? nil : ""
      )
    }
    let block = try detailBlock(try position(location.block))
    return try block.withRawSpan {
      (span) throws(StorageError) -> (metadata: [UInt8]?, text: String?) in
      let start = try position(location.offset)
      let metadata = try require(span.array(at: start, count: metadataByteCount))
      let text = try require(span.string(at: start + metadataByteCount, count: textByteCount))
      return (
        location.metadataByteCount == DetailLocation.none ? nil : metadata,
        location.textByteCount == DetailLocation.none ? nil : text
      )
    }
  }

  private func detailBlock(_ index: Int) throws(StorageError) -> [UInt8] {
    if let bytes = detailCache[index] { return bytes }
    let block = try withItems(
      .detailBlocks, index..<index + 1, itemByteCount: DetailBlock.byteCount
    ) { (span) throws(StorageError) -> DetailBlock in
      try require(DetailBlock(span))
    }
    guard let start = Int(exactly: block.offset), start <= Int.max - Int(block.storedByteCount)
    else { throw damage("a block of details lies outside its section") }
    let byteCount = Int(block.uncompressedByteCount)
    let range = start..<start + Int(block.storedByteCount)
    let bytes = try withItems(.detailBytes, range, itemByteCount: 1) {
      (span) throws(StorageError) -> [UInt8] in
      if span.byteCount == byteCount { return try require(span.array(at: 0, count: byteCount)) }
      do throws(StorageError) {
        return try CompressedBlock.decompress(span, to: byteCount)
      } catch {
        throw damage("a block of details does not unpack")
      }
    }
    detailCache[index] = bytes
    return bytes
  }
}

/// The last few blocks of details that were decompressed; bounded in number and in bytes.
final class DetailCache: Sendable {
  private static let blockCount = 8
  private static let largestByteCount = 1 << 20
  private let blocks = Mutex<[(index: Int, bytes: [UInt8])]>([])

  subscript(index: Int) -> [UInt8]? {
    get { blocks.withLock { $0.first { $0.index == index }?.bytes } }
    set {
      guard let newValue, newValue.count <= Self.largestByteCount else { return }
      blocks.withLock { blocks in
        blocks.removeAll { $0.index == index }
        if blocks.count == Self.blockCount { blocks.removeFirst() }
        blocks.append((index, newValue))
      }
    }
  }
}
