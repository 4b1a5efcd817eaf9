/// A token as vocabulary files spell it, in UTF-8: one printable character for each of its bytes,
/// and `</w>` at the end of a word. As bytes, since Swift takes different spellings of one
/// character for the same string.
typealias Symbol = [UInt8]

extension Symbol {
  static let wordEnd = Symbol("</w>".utf8)
  static let start = Symbol("<|startoftext|>".utf8)
  static let end = Symbol("<|endoftext|>".utf8)

  /// The symbol for messages.
  var spelling: String { "\"\(String(decoding: self, as: UTF8.self))\"" }
}

/// The spelling of single bytes: bytes that are a printable Latin-1 character are spelled by it,
/// and the others by the characters from U+0100 on.
enum ByteSymbols {
  /// All 256, in the order in which vocabularies number them.
  static let inOrder: [(byte: UInt8, symbol: Symbol)] = {
    let printable = [0x21...0x7e, 0xa1...0xac, 0xae...0xff].joined().map { UInt8($0) }
    let others = (UInt8.min...UInt8.max).filter { !printable.contains($0) }
    return printable.map { ($0, spelled(UInt32($0))) }
      + others.enumerated().map { ($1, spelled(0x100 + UInt32($0))) }
  }()

  private static func spelled(_ value: UInt32) -> Symbol {
    Unicode.Scalar(value).map { Symbol(String($0).utf8) } ?? []
  }
}
