/// Writes a main file from its sections in order, keeping a checksum for every block.
///
/// Holds at most about 4 MiB of the file in memory, plus the checksum table.
final class MainFileWriter {
  /// Bytes are written up to multiples of this offset in the file: Linux then keeps them in huge
  /// pages and maps them so, which makes reading them a few percent faster.
  private static let pieceByteCount = UInt64(2 << 20)

  private let file: any File
  private var header: MainHeader
  private let buffer = ByteWriter(capacity: 2 * Int(MainFileWriter.pieceByteCount))
  /// Where the buffer begins in the file.
  private var bufferOffset = UInt64(MainHeader.byteCount)
  private var checksums: [UInt32] = []
  /// The checksum of the bytes of the current block so far, and their number.
  private var blockChecksum: UInt32 = 0
  private var blockByteCount = 0

  init(_ file: any File, header: MainHeader) {
    self.file = file
    self.header = header
  }

  private var offset: UInt64 { bufferOffset + UInt64(buffer.count) }

  func beginSection(_ kind: SectionKind) throws(StorageError) {
    buffer.appendZeros(Int((64 - offset % 64) % 64))
    header.sections.append(
      Section(kind: kind.rawValue, offset: offset, byteCount: 0, itemCount: 0))
  }

  func append(_ bytes: RawSpan) throws(StorageError) {
    var start = 0
    while start < bytes.byteCount {
      let end = min(bytes.byteCount, start + Int(Self.pieceByteCount))
      buffer.append(bytes.extracting(start..<end))
      try flushFullPieces()
      start = end
    }
  }

  func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) throws(StorageError) {
    buffer.append(value)
    try flushFullPieces()
  }

  func append(_ bytes: [UInt8]) throws(StorageError) {
    try bytes.withRawSpan { (span) throws(StorageError) in try append(span) }
  }

  func appendKeyIndex(hashes: [UInt64]) throws(StorageError) {
    try KeyIndex.forEachSlot(hashes: hashes) { (row, fragment) throws(StorageError) in
      try append(row)
      try append(fragment)
    }
  }

  func endSection(itemCount: Int) {
    let last = header.sections.count - 1
    header.sections[last].byteCount = offset - header.sections[last].offset
    header.sections[last].itemCount = UInt64(itemCount)
  }

  /// Writes what is left, the checksum table and the header; the file is not synced.
  func finish() throws(StorageError) -> MainHeader {
    header.checksumsOffset = offset
    try flush(byteCount: buffer.count)
    endBlock()
    let table = ByteWriter(capacity: checksums.count * 4)
    for checksum in checksums {
      table.append(checksum)
    }
    header.checksumCount = checksums.count
    header.checksumsChecksum = table.withRawSpan { Checksum.masked(Checksum.crc32c($0)) }
    let tableOffset = header.checksumsOffset
    try table.withRawSpan { (span) throws(StorageError) in
      try file.write(span, at: tableOffset)
    }
    header.fileByteCount = tableOffset + UInt64(table.count)
    header.checksum = try header.encoded().withRawSpan { (span) throws(StorageError) in
      try file.write(span, at: 0)
      return span.integer(at: MainHeader.byteCount - 4, as: UInt32.self) ?? 0
    }
    return header
  }

  private func flushFullPieces() throws(StorageError) {
    let piece = Int(Self.pieceByteCount - bufferOffset % Self.pieceByteCount)
    if buffer.count >= piece { try flush(byteCount: piece) }
  }

  private func flush(byteCount: Int) throws(StorageError) {
    guard byteCount > 0 else { return }
    let (file, offset) = (file, bufferOffset)
    try buffer.withRawSpan { (span) throws(StorageError) in
      let piece = span.extracting(0..<byteCount)
      try file.write(piece, at: offset)
      addToChecksums(piece)
    }
    bufferOffset += UInt64(byteCount)
    buffer.removeFirst(byteCount)
  }

  private func addToChecksums(_ bytes: RawSpan) {
    var start = 0
    while start < bytes.byteCount {
      let end = min(bytes.byteCount, start + MainHeader.blockByteCount - blockByteCount)
      blockChecksum = Checksum.crc32c(bytes.extracting(start..<end), seed: blockChecksum)
      blockByteCount += end - start
      if blockByteCount == MainHeader.blockByteCount { endBlock() }
      start = end
    }
  }

  private func endBlock() {
    guard blockByteCount > 0 else { return }
    checksums.append(Checksum.masked(blockChecksum))
    blockChecksum = 0
    blockByteCount = 0
  }
}
