/// The part of Python's literals that headers of arrays are made of.
///
/// Strings have no escapes and no prefixes, integers no sign: NumPy writes none. Nothing is evaluated.
indirect enum PythonLiteral: Equatable {
  case string(String)
  case boolean(Bool)
  case integer(Int)
  case tuple([PythonLiteral])
  case list([PythonLiteral])
  case dictionary([String: PythonLiteral])

  /// Parses bytes that hold one literal, with white space around it.
  init(parsing bytes: [UInt8]) throws(NumPyDefect) {
    var parser = PythonLiteralParser(bytes)
    self = try parser.wholeText()
  }
}

/// Reads a literal byte by byte; never past the end, and never deeper than a header goes.
private struct PythonLiteralParser {
  /// Named fields nest: lists of tuples of lists.
  private static let maximumDepth = 16

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func wholeText() throws(NumPyDefect) -> PythonLiteral {
    let literal = try literal(depth: 0)
    skipSpace()
    guard position == bytes.count else { throw unexpected() }
    return literal
  }

  private mutating func literal(depth: Int) throws(NumPyDefect) -> PythonLiteral {
    guard depth <= Self.maximumDepth else { throw .malformed("its header nests too deeply") }
    skipSpace()
    guard let first = next else { throw unexpected() }
    switch first {
    case UInt8(ascii: "{"):
      return .dictionary(try dictionary(depth: depth))
    case UInt8(ascii: "("):
      return try parenthesized(depth: depth)
    case UInt8(ascii: "["):
      return .list(try sequence(closedBy: UInt8(ascii: "]"), depth: depth).elements)
    case UInt8(ascii: "'"), UInt8(ascii: "\""):
      return .string(try string())
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      return .integer(try integer())
    case UInt8(ascii: "T"):
      try word("True")
      return .boolean(true)
    case UInt8(ascii: "F"):
      try word("False")
      return .boolean(false)
    default:
      throw unexpected()
    }
  }

  private mutating func dictionary(
    depth: Int
  ) throws(NumPyDefect) -> [String: PythonLiteral] {
    var entries: [String: PythonLiteral] = [:]
    try take("{")
    while !skip("}") {
      skipSpace()
      let name = try string()
      try take(":")
      let value = try literal(depth: depth + 1)
      guard entries.updateValue(value, forKey: name) == nil else {
        throw .malformed("its header has \"\(name.prefix(40))\" twice")
      }
      guard skip(",") else {
        try take("}")
        break
      }
    }
    return entries
  }

  /// A tuple; or, without a comma, what the parentheses are around.
  private mutating func parenthesized(depth: Int) throws(NumPyDefect) -> PythonLiteral {
    let (elements, endsInComma) = try sequence(closedBy: UInt8(ascii: ")"), depth: depth)
    if let only = elements.first, elements.count == 1, !endsInComma { return only }
    return .tuple(elements)
  }

  private mutating func sequence(
    closedBy end: UInt8, depth: Int
  ) throws(NumPyDefect) -> (elements: [PythonLiteral], endsInComma: Bool) {
    var elements: [PythonLiteral] = []
    position += 1
    var endsInComma = false
    while true {
      skipSpace()
      if next == end, elements.isEmpty || endsInComma { break }
      guard elements.isEmpty || endsInComma else { throw unexpected() }
      elements.append(try literal(depth: depth + 1))
      endsInComma = skip(",")
      skipSpace()
      if next == end { break }
    }
    position += 1
    return (elements, endsInComma)
  }

  private mutating func string() throws(NumPyDefect) -> String {
    guard let quote = next, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
      throw unexpected()
    }
    position += 1
    let start = position
    while let byte = next, byte != quote {
      guard byte != UInt8(ascii: "\\"), byte >= 0x20 else { throw unexpected() }
      position += 1
    }
    guard next == quote, let string = String(validating: bytes[start..<position], as: UTF8.self)
    else { throw unexpected() }
    position += 1
    return string
  }

  private mutating func integer() throws(NumPyDefect) -> Int {
    let start = position
    var value = 0
    while let byte = next, let digit = digit(byte) {
      let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = tens.addingReportingOverflow(digit)
      guard !isTooLarge, !isLarger else {
        throw .malformed("its header has a number beyond 64 bits")
      }
      value = sum
      position += 1
    }
    guard bytes[start] != UInt8(ascii: "0") || position == start + 1 else { throw unexpected() }
    // Python 2 ended long numbers so.
    if next == UInt8(ascii: "L") { position += 1 }
    return value
  }

  private func digit(_ byte: UInt8) -> Int? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
  }

  private mutating func word(_ word: StaticString) throws(NumPyDefect) {
    let expected = Array("\(word)".utf8)
    guard bytes[position...].starts(with: expected) else { throw unexpected() }
    position += expected.count
  }

  private mutating func take(_ character: Unicode.Scalar) throws(NumPyDefect) {
    guard skip(character) else { throw unexpected() }
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0d).contains(byte) { position += 1 }
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func unexpected() -> NumPyDefect {
    .malformed("its header does not parse at byte \(position) of its text")
  }
}
