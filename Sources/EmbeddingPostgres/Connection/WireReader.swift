/// Reads values of PostgreSQL's binary format, and believes no length.
struct WireReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { position == bytes.count }

  mutating func integer<Number: FixedWidthInteger>(
    _ type: Number.Type = Number.self
  ) throws(PostgresError) -> Number {
    var value: Number = 0
    for byte in try take(Number.bitWidth / 8) {
      value = value << 8 | Number(truncatingIfNeeded: byte)
    }
    return value
  }

  mutating func take(_ count: Int) throws(PostgresError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= bytes.count - position else { throw Self.malformed }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// A text array without NULLs.
  mutating func texts() throws(PostgresError) -> [String] {
    let dimensionCount = try integer(Int32.self)
    _ = try integer(Int32.self)
    guard try integer(Int32.self) == TypeNumber.text else { throw Self.malformed }
    if dimensionCount == 0 { return [] }
    guard dimensionCount == 1 else { throw Self.malformed }
    let count = try integer(Int32.self)
    _ = try integer(Int32.self)
    var texts: [String] = []
    for _ in 0..<max(count, 0) {
      texts.append(try Self.text(try take(Int(try integer(Int32.self)))))
    }
    return texts
  }

  static func text(_ bytes: some Collection<UInt8>) throws(PostgresError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw malformed }
    return text
  }

  static var malformed: PostgresError {
    PostgresError(.invalidRow, "The server sent a value that is not what the schema says.")
  }
}
