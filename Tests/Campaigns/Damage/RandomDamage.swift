import EmbeddingTestSupport

/// Damage to more than one bit of a file, as media and cables do it.
enum RandomDamage: Sendable {
  case bits([Int])
  case stretch(at: Int, [UInt8])
  case zeroedPage(Int)
  case swappedPages(Int, Int)

  private static let pageByteCount = 4_096

  init(using generator: inout SeededGenerator, byteCount: Int) {
    let pageCount = max(byteCount / Self.pageByteCount, 1)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      self = .bits(
        (0..<Int.random(in: 1...3, using: &generator)).map { _ in
          Int.random(in: 0..<byteCount * 8, using: &generator)
        })
    case 1:
      let length = Int.random(in: 1...512, using: &generator)
      self = .stretch(
        at: Int.random(in: 0..<byteCount, using: &generator),
        (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
    case 2: self = .zeroedPage(Int.random(in: 0..<pageCount, using: &generator))
    default:
      self = .swappedPages(
        Int.random(in: 0..<pageCount, using: &generator),
        Int.random(in: 0..<pageCount, using: &generator))
    }
  }

  /// The damage never makes a file longer.
  func applied(to bytes: [UInt8]) -> [UInt8] {
    var damaged = bytes
    switch self {
    case .bits(let bits):
      for bit in bits { damaged[bit / 8] ^= 1 << (bit % 8) }
    case .stretch(let offset, let new):
      for (byte, index) in zip(new, offset..<bytes.count) { damaged[index] = byte }
    case .zeroedPage(let page):
      for index in Self.range(of: page, in: bytes) { damaged[index] = 0 }
    case .swappedPages(let first, let second):
      for (one, other) in zip(Self.range(of: first, in: bytes), Self.range(of: second, in: bytes)) {
        damaged.swapAt(one, other)
      }
    }
    return damaged
  }

  private static func range(of page: Int, in bytes: [UInt8]) -> Range<Int> {
    page * pageByteCount..<min((page + 1) * pageByteCount, bytes.count)
  }
}
