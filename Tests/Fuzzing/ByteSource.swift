/// Takes an input apart from its beginning. When it has run out, everything is zero.
struct ByteSource {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isEmpty: Bool { offset >= bytes.count }

  mutating func byte() -> UInt8 {
    guard offset < bytes.count else { return 0 }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func number(byteCount: Int) -> Int {
    (0..<byteCount).reduce(0) { $0 | Int(byte()) << (8 * $1) }
  }

  /// A number below `bound`.
  mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

  /// Up to `count` bytes; fewer at the end.
  mutating func bytes(_ count: Int) -> [UInt8] {
    let end = min(bytes.count, offset + count)
    defer { offset = end }
    return Array(bytes[offset..<end])
  }

  mutating func rest() -> [UInt8] { bytes(bytes.count - offset) }
}
