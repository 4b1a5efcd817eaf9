/// The 16 random bytes that tie the files of one store together.
package struct StoreIdentifier: Hashable, Sendable {
  package static let byteCount = 16

  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package static func random() -> StoreIdentifier {
    StoreIdentifier(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
  }

  init?(_ bytes: RawSpan, at offset: Int) {
    guard let high = bytes.integer(at: offset, as: UInt64.self),
      let low = bytes.integer(at: offset + 8, as: UInt64.self)
    else { return nil }
    self.init(high: high, low: low)
  }

  func encode(into writer: ByteWriter) {
    writer.append(high)
    writer.append(low)
  }
}
