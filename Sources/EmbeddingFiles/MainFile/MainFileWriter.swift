/// Writes a main file from its sections in order, keeping a checksum for every block.
///
/// Holds at most about 1 MiB of the file in memory, plus the checksum table.
final class MainFileWriter {
  private static let bufferByteCount = 1 << 20

  private let file: any File
  private var header: MainHeader
  private let buffer = ByteWriter(capacity: MainFileWriter.bufferByteCount + 65_536)
  /// Where the buffer begins in the file: always the start of a block.
  private var bufferOffset = UInt64(MainHeader.byteCount)
  private var checksums: [UInt32] = []

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
      let end = min(bytes.byteCount, start + Self.bufferByteCount)
      buffer.append(bytes.extracting(start..<end))
      try flushFullBlocks()
      start = end
    }
  }

  func append<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) throws(StorageError) {
    buffer.append(value)
    try flushFullBlocks()
  }

  func append(_ bytes: [UInt8]) throws(StorageError) {
    try bytes.withRawSpan { (span) throws(StorageError) in try append(span) }
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

  private func flushFullBlocks() throws(StorageError) {
    guard buffer.count >= Self.bufferByteCount else { return }
    try flush(byteCount: buffer.count / MainHeader.blockByteCount * MainHeader.blockByteCount)
  }

  private func flush(byteCount: Int) throws(StorageError) {
    guard byteCount > 0 else { return }
    let (file, offset) = (file, bufferOffset)
    let checksums = try buffer.withRawSpan { (span) throws(StorageError) -> [UInt32] in
      try file.write(span.extracting(0..<byteCount), at: offset)
      return Swift.stride(from: 0, to: byteCount, by: MainHeader.blockByteCount).map { start in
        let end = min(start + MainHeader.blockByteCount, byteCount)
        return Checksum.masked(Checksum.crc32c(span.extracting(start..<end)))
      }
    }
    self.checksums += checksums
    bufferOffset += UInt64(byteCount)
    buffer.removeFirst(byteCount)
  }
}
