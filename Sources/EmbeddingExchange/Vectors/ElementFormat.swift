internal import EmbeddingFiles
internal import EmbeddingStores

/// How a file of vectors holds a component: IEEE 754, little-endian.
public enum ElementFormat: String, CaseIterable, Sendable {
  /// Two bytes, as stores hold them.
  case float16
  /// Four bytes.
  case float32
  /// Eight bytes. Reading rounds them to Float32.
  case float64

  /// Bytes of one component.
  public var byteCount: Int {
    switch self {
    case .float16: 2
    case .float32: 4
    case .float64: 8
    }
  }

  /// The components in `bytes`, which start at an even address; nothing is left out but a part of one
  /// at the end. What Float32 can not hold becomes infinite.
  func decoded(_ bytes: RawSpan) -> [Float] {
    let count = bytes.byteCount / byteCount
    switch self {
    case .float16:
      return [Float](widening: bytes)
    case .float32:
      return unsafe bytes.withUnsafeBytes { buffer in
        // `count` components lie within the bytes.
        (0..<count).map { index in
          let bits = unsafe buffer.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
          return Float(bitPattern: UInt32(littleEndian: bits))
        }
      }
    case .float64:
      return unsafe bytes.withUnsafeBytes { buffer in
        (0..<count).map { index in
          let bits = unsafe buffer.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)
          return Float(Double(bitPattern: UInt64(littleEndian: bits)))
        }
      }
    }
  }

  /// Appends components that are Float16 bits, exactly.
  func append(halves: RawSpan, to writer: ByteWriter) {
    switch self {
    case .float16:
      writer.append(halves)
    case .float32:
      append([Float](widening: halves).map { $0.bitPattern.littleEndian }, to: writer)
    case .float64:
      append([Float](widening: halves).map { Double($0).bitPattern.littleEndian }, to: writer)
    }
  }

  /// All at once: a call for each component takes a third of an export's time.
  private func append(_ components: [some FixedWidthInteger], to writer: ByteWriter) {
    unsafe components.withUnsafeBytes { bytes in
      let span = unsafe RawSpan(_unsafeBytes: bytes)
      writer.append(span)
    }
  }
}
