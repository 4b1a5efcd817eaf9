internal import EmbeddingFiles
internal import EmbeddingStores

/// Reads an archive frame by frame; nothing is given out that does not match its checksum.
struct ArchiveReader {
  let header: ArchiveHeader
  private let file: any File
  private let byteCount: UInt64
  private var offset: UInt64
  private var checksum: UInt32

  init(_ path: String, on fileSystem: any FileSystem) throws(StoreError) {
    let (file, byteCount, head) = try translatingErrors { () throws(StorageError) in
      let file = try fileSystem.open(path, .read)
      return (
        file, try file.attributes().byteCount,
        try file.read(at: 0, byteCount: ArchiveHeader.byteCount)
      )
    }
    header = try head.withRawSpan { (span) throws(StoreError) in
      try ArchiveHeader(span, path: path)
    }
    self.file = file
    self.byteCount = byteCount
    offset = UInt64(ArchiveHeader.byteCount)
    checksum = header.checksum
  }

  /// The next frame. Behind the last one the file must end.
  mutating func next() throws(StoreError) -> ArchiveFrame {
    let head = try read(ArchiveFrame.headByteCount)
    let fields = head.withRawSpan { span in
      (0..<4).map { span.integer(at: 4 * $0, as: UInt32.self) ?? 0 }
    }
    let (payloadByteCount, unpackedByteCount) = (Int(fields[1]), Int(fields[2]))
    // Names are shorter than blocks.
    guard max(payloadByteCount, unpackedByteCount) <= ArchiveFrame.blockByteCount else {
      throw damaged("a frame is larger than any")
    }
    let payload = try read(payloadByteCount)
    checksum = head.withRawSpan { Checksum.crc32c($0.extracting(0..<12), seed: checksum) }
    checksum = payload.withRawSpan { Checksum.crc32c($0, seed: checksum) }
    guard Checksum.masked(checksum) == fields[3] else {
      throw damaged("bytes \(offset - UInt64(payloadByteCount)) to \(offset) were changed")
    }
    guard
      let frame = ArchiveFrame(
        kind: fields[0], payload: payload, unpackedByteCount: unpackedByteCount)
    else { throw damaged("a frame holds what none does") }
    guard frame != .end || offset == byteCount else {
      throw damaged("\(byteCount - offset) bytes follow its end")
    }
    return frame
  }

  private mutating func read(_ count: Int) throws(StoreError) -> [UInt8] {
    let bytes = try translatingErrors { () throws(StorageError) in
      try file.read(at: offset, byteCount: count)
    }
    guard bytes.count == count else { throw damaged("it was cut short") }
    offset += UInt64(count)
    return bytes
  }

  func damaged(_ reason: String) -> StoreError { Self.damaged(reason, file.path) }

  static func damaged(_ reason: String, _ path: String) -> StoreError {
    StoreError(
      .corrupt,
      "The archive is damaged: \(reason). Nothing was restored. Fetch it again, or use another copy.",
      path: path)
  }
}
