/// Loads from bytes that nobody vouches for: out of bounds is nil, never a trap.
extension RawSpan {
  /// The little-endian value at `offset`, or nil when it does not lie within the bytes.
  @inline(__always)
  package func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Value.Type = Value.self
  ) -> Value? {
    guard contains(offset, MemoryLayout<Value>.size) else { return nil }
    return Value(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self))
  }

  /// The value at `offset` as a count of things that lie within these bytes; nil when it is
  /// larger than `byteCount`, so that sums of a few lengths can not overflow.
  @inline(__always)
  package func length<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Value.Type
  ) -> Int? {
    guard let value = integer(at: offset, as: type), value <= byteCount else { return nil }
    return Int(value)
  }

  /// Whether `count` bytes at `offset` lie within the bytes.
  @inline(__always)
  package func contains(_ offset: Int, _ count: Int) -> Bool {
    offset >= 0 && count >= 0 && offset <= byteCount && count <= byteCount - offset
  }

  /// A copy of `count` bytes at `offset`, or nil when they do not lie within the bytes.
  package func array(at offset: Int, count: Int) -> [UInt8]? {
    guard contains(offset, count) else { return nil }
    return extracting(offset..<offset + count).withUnsafeBytes { [UInt8]($0) }
  }

  /// The string whose UTF-8 bytes lie at `offset`, or nil when they do not or are not UTF-8.
  package func string(at offset: Int, count: Int) -> String? {
    guard contains(offset, count) else { return nil }
    let bytes = extracting(offset..<offset + count)
    // Decoding repairs what is not UTF-8, so only ASCII may take that way, which is much faster.
    let isASCII = bytes.isASCII
    return bytes.withUnsafeBytes { buffer in
      isASCII
        ? String(decoding: buffer, as: UTF8.self)
        : String(validating: buffer.bindMemory(to: UInt8.self), as: UTF8.self)
    }
  }

  /// Whether no byte has its highest bit set; looks at eight bytes at a time.
  @inline(__always)
  private var isASCII: Bool {
    var bits: UInt64 = 0
    var offset = 0
    while offset + 8 <= byteCount {
      bits |= unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < byteCount {
      bits |= UInt64(unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self))
      offset += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// Whether all `count` bytes at `offset` lie within the bytes and are zero.
  package func isZero(at offset: Int, count: Int) -> Bool {
    guard contains(offset, count) else { return false }
    return extracting(offset..<offset + count).withUnsafeBytes { $0.allSatisfy { $0 == 0 } }
  }
}
