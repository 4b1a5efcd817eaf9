internal import EmbeddingFiles

/// What follows an archive's header: frames, one after the other, up to one that ends it.
///
/// ```
/// offset  size
///      0     4  kind: 1 a file begins, 2 a block of it, 3 the end
///      4     4  bytes of the payload
///      8     4  bytes of the payload when unpacked; the same for what is not packed
///     12     4  masked CRC32C of bytes 0..<12 and the payload, which goes on from the CRC32C of the
///               frame before: so no frame can be left out, repeated or moved
///     16        payload: of a file, its byte count (8) and its name; of a block, LZ4 or plain bytes
/// ```
enum ArchiveFrame: Equatable {
  case file(name: String, byteCount: Int)
  case block([UInt8])
  case end

  static let headByteCount = 16
  /// The most that a block holds: what reading and writing keep in memory.
  static let blockByteCount = 1 << 20

  private var kind: UInt32 {
    switch self {
    case .file: 1
    case .block: 2
    case .end: 3
    }
  }

  /// The frame's bytes; `checksum` is the CRC32C of the one before, and becomes this one's.
  func encoded(_ checksum: inout UInt32) -> [UInt8] {
    let (payload, unpackedByteCount) = payload()
    let writer = ByteWriter(capacity: Self.headByteCount + payload.count)
    writer.append(kind)
    writer.append(UInt32(payload.count))
    writer.append(UInt32(unpackedByteCount))
    checksum = writer.withRawSpan { Checksum.crc32c($0, seed: checksum) }
    checksum = payload.withRawSpan { Checksum.crc32c($0, seed: checksum) }
    writer.append(Checksum.masked(checksum))
    writer.append(payload)
    return writer.bytes
  }

  private func payload() -> ([UInt8], unpackedByteCount: Int) {
    switch self {
    case .file(let name, let byteCount):
      let writer = ByteWriter()
      writer.append(UInt64(byteCount))
      writer.append(utf8: name)
      return (writer.bytes, writer.count)
    case .block(let bytes):
      return (CompressedBlock.compress(bytes) ?? bytes, bytes.count)
    case .end:
      return ([], 0)
    }
  }

  /// The frame that a checked head and payload are, or nil when they are none.
  init?(kind: UInt32, payload: [UInt8], unpackedByteCount: Int) {
    switch kind {
    case 1 where payload.count == unpackedByteCount:
      let parts = payload.withRawSpan {
        ($0.integer(at: 0, as: UInt64.self), $0.string(at: 8, count: payload.count - 8))
      }
      guard let stated = parts.0, let byteCount = Int(exactly: stated), let name = parts.1 else {
        return nil
      }
      self = .file(name: name, byteCount: byteCount)
    case 2 where !payload.isEmpty && payload.count <= unpackedByteCount:
      guard payload.count < unpackedByteCount else {
        self = .block(payload)
        return
      }
      let unpacked = payload.withRawSpan {
        try? CompressedBlock.decompress($0, to: unpackedByteCount)
      }
      guard let unpacked else { return nil }
      self = .block(unpacked)
    case 3 where payload.isEmpty && unpackedByteCount == 0:
      self = .end
    default:
      return nil
    }
  }
}
