internal import CZlib

/// Files compressed by gzip (RFC 1952). All calls of zlib are here.
enum Gzip {
  /// What such a file begins with.
  static let signature: [UInt8] = [0x1f, 0x8b]

  /// The content of the file's first member, or nil when it is damaged, incomplete or larger.
  static func inflated(_ file: [UInt8], largestByteCount: Int) -> [UInt8]? {
    var input = file
    var output: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    // unsafe: the structure holds pointers, which are set below and only while the arrays that
    // they point to are borrowed.
    var stream = unsafe z_stream()
    // 16 asks for a gzip header, and for its checksum and length to be compared at the end.
    let started = unsafe inflateInit2_(
      &stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard started == Z_OK else { return nil }
    // unsafe: frees what inflateInit2_ allocated, once.
    defer { unsafe inflateEnd(&stream) }

    // unsafe: zlib reads `avail_in` bytes at `next_in` and no more; both are the array's.
    return unsafe input.withUnsafeMutableBufferPointer { source in
      unsafe stream.next_in = source.baseAddress
      unsafe stream.avail_in = UInt32(clamping: source.count)
      while true {
        // unsafe: zlib writes `avail_out` bytes at `next_out` at most; both are the block's.
        let (status, count) = unsafe block.withUnsafeMutableBufferPointer { target in
          unsafe stream.next_out = target.baseAddress
          unsafe stream.avail_out = UInt32(clamping: target.count)
          let status = unsafe inflate(&stream, Z_NO_FLUSH)
          return unsafe (status, target.count - Int(stream.avail_out))
        }
        output.append(contentsOf: block.prefix(count))
        guard status == Z_OK || status == Z_STREAM_END, output.count <= largestByteCount else {
          return nil
        }
        if status == Z_STREAM_END { return output }
      }
    }
  }
}
