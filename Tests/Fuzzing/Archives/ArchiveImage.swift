import EmbeddingFiles

/// An archive as bytes, whatever they are: a header of 64 bytes, then frames with heads of 16, as
/// `Docs/Exchange.md` describes them.
struct ArchiveImage {
  private(set) var bytes: [UInt8]

  private static let headerByteCount = 64
  private static let headByteCount = 16

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// An archive of these files, none of them packed, whose counts and checksums are zero.
  init(of files: [(name: String, bytes: [UInt8])]) {
    bytes = [0x89, 0x45, 0x53, 0x41, 0x0d, 0x0a, 0x1a, 0x0a, 1]
    bytes += [UInt8](repeating: 0, count: Self.headerByteCount - bytes.count)
    for file in files {
      append(1, [UInt8](repeating: 0, count: 8) + Array(file.name.utf8))
      for block in Self.blocks(of: file.bytes) { append(2, block) }
    }
    append(3, [])
  }

  private static func blocks(of bytes: [UInt8]) -> [[UInt8]] {
    let size = 1 << 20
    return stride(from: 0, to: bytes.count, by: size).map {
      Array(bytes[$0..<min(bytes.count, $0 + size)])
    }
  }

  private mutating func append(_ kind: UInt8, _ payload: [UInt8]) {
    let start = bytes.count
    bytes += [kind] + [UInt8](repeating: 0, count: Self.headByteCount - 1)
    bytes.set(UInt32(payload.count), at: start + 4)
    bytes.set(UInt32(payload.count), at: start + 8)
    bytes += payload
  }

  /// Where frames begin, as far as they can be told apart.
  private var frames: [Range<Int>] {
    var frames: [Range<Int>] = []
    var start = Self.headerByteCount
    while let byteCount = bytes.number(at: start + 4) as UInt32?,
      start + Self.headByteCount + Int(byteCount) <= bytes.count
    {
      let end = start + Self.headByteCount + Int(byteCount)
      frames.append(start..<end)
      start = end
    }
    return frames
  }
}

extension ArchiveImage {
  /// Makes the header say how many files there are and how long, and each file how long it is.
  mutating func count() {
    guard bytes.count >= Self.headerByteCount else { return }
    var (fileCount, contentByteCount) = (UInt32(0), UInt32(0))
    var current: (start: Int, byteCount: UInt32)?
    for frame in frames {
      let unpackedByteCount: UInt32 = bytes.number(at: frame.lowerBound + 8) ?? 0
      switch bytes.number(at: frame.lowerBound) as UInt32? {
      case 1 where frame.count >= Self.headByteCount + 8:
        fileCount += 1
        current = (frame.lowerBound + Self.headByteCount, 0)
        setCount(0, at: frame.lowerBound + Self.headByteCount)
      case 2:
        contentByteCount &+= unpackedByteCount
        if let file = current {
          current = (file.start, file.byteCount &+ unpackedByteCount)
          setCount(file.byteCount &+ unpackedByteCount, at: file.start)
        }
      default: break
      }
    }
    bytes.set(fileCount, at: 12)
    setCount(contentByteCount, at: 16)
  }

  private mutating func setCount(_ count: UInt32, at offset: Int) {
    bytes.set(count, at: offset)
    bytes.set(0, at: offset + 4)
  }

  /// Makes every checksum hold, and leaves all else as it is.
  mutating func seal() {
    guard bytes.count >= Self.headerByteCount else { return }
    var checksum = crc32c(of: 0..<60, after: 0)
    bytes.set(Checksum.masked(checksum), at: 60)
    for frame in frames {
      checksum = crc32c(of: frame.lowerBound..<frame.lowerBound + 12, after: checksum)
      checksum = crc32c(of: frame.lowerBound + 16..<frame.upperBound, after: checksum)
      bytes.set(Checksum.masked(checksum), at: frame.lowerBound + 12)
    }
  }

  private func crc32c(of range: Range<Int>, after seed: UInt32) -> UInt32 {
    bytes.withRawSpan { Checksum.crc32c($0.extracting(range), seed: seed) }
  }
}
