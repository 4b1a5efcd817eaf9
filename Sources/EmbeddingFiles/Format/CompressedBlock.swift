#if canImport(Compression)
  import Compression
#else
  import CLZ4
#endif

/// Bytes packed in the LZ4 block format, without frame, size or checksum.
package enum CompressedBlock {
  /// The packed form of `bytes`, or nil when it is not shorter than they are.
  package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count > 1, bytes.count <= maximumByteCount else { return nil }
    let capacity = bytes.count - 1
    let packed = [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
      count = bytes.withUnsafeBufferPointer { encode($0, into: target, capacity: capacity) }
    }
    return packed.isEmpty ? nil : packed
  }

  /// Unpacks a block that must yield exactly `byteCount` bytes.
  ///
  /// Safe on any input: writes no more than `byteCount` bytes, reads no more than `bytes`, and
  /// allocates only what `bytes` could unpack to.
  ///
  /// - Throws: `.corrupt` when other than `byteCount` bytes come out, or `byteCount` is 0, since
  ///   nothing is ever stored packed to no gain.
  package static func decompress(
    _ bytes: RawSpan, to byteCount: Int
  ) throws(StorageError) -> [UInt8] {
    guard byteCount > 0, byteCount <= maximumByteCount, bytes.byteCount <= maximumByteCount,
      byteCount / maximumRatio <= bytes.byteCount
    else {
      throw damaged(bytes.byteCount, byteCount)
    }
    var unpackedCount = -1
    let unpacked = [UInt8](unsafeUninitializedCapacity: byteCount + slack) { target, count in
      unpackedCount = bytes.withUnsafeBytes {
        decode($0.bindMemory(to: UInt8.self), into: target, capacity: byteCount + slack)
      }
      count = min(max(unpackedCount, 0), byteCount)
    }
    guard unpackedCount == byteCount else { throw damaged(bytes.byteCount, byteCount) }
    return unpacked
  }

  private static func damaged(_ packedCount: Int, _ byteCount: Int) -> StorageError {
    StorageError(
      .corrupt,
      """
      A compressed block of \(packedCount) bytes does not unpack to \(byteCount) bytes. \
      The file is damaged; restore it from a copy or rebuild the store.
      """)
  }

  /// Where LZ4 stops: 2 GiB less what its worst case adds.
  private static let maximumByteCount = 0x7e00_0000
  /// Every packed byte adds at most 255 to a length.
  private static let maximumRatio = 255
}

// MARK: Platform codecs

#if canImport(Compression)
  extension CompressedBlock {
    /// The decoder stops quietly when the target is full; one byte more shows that it wanted to.
    private static let slack = 1

    private static func encode(
      _ bytes: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>,
      capacity: Int
    ) -> Int {
      guard let source = bytes.baseAddress, let target = target.baseAddress else { return 0 }
      return compression_encode_buffer(
        target, capacity, source, bytes.count, nil, COMPRESSION_LZ4_RAW)
    }

    private static func decode(
      _ bytes: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>,
      capacity: Int
    ) -> Int {
      guard let source = bytes.baseAddress, let target = target.baseAddress else { return 0 }
      return compression_decode_buffer(
        target, capacity, source, bytes.count, nil, COMPRESSION_LZ4_RAW)
    }
  }
#else
  extension CompressedBlock {
    /// The decoder refuses to fill the target and have bytes left.
    private static let slack = 0

    private static func encode(
      _ bytes: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>,
      capacity: Int
    ) -> Int {
      bytes.withMemoryRebound(to: CChar.self) { source in
        target.withMemoryRebound(to: CChar.self) { target in
          Int(
            LZ4_compress_default(
              source.baseAddress, target.baseAddress, Int32(source.count), Int32(capacity)))
        }
      }
    }

    private static func decode(
      _ bytes: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>,
      capacity: Int
    ) -> Int {
      guard !bytes.isEmpty else { return 0 }
      return bytes.withMemoryRebound(to: CChar.self) { source in
        target.withMemoryRebound(to: CChar.self) { target in
          Int(
            LZ4_decompress_safe(
              source.baseAddress, target.baseAddress, Int32(source.count), Int32(capacity)))
        }
      }
    }
  }
#endif
