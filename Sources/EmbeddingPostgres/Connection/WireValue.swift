/// A value as PostgreSQL's binary format has it, bound to a placeholder of a statement.
///
/// Every placeholder is cast in the SQL (`$1::text`), so no type needs to be said here.
enum WireValue {
  case null
  case bytes([UInt8])

  static func text(_ string: String) -> WireValue { .bytes(Array(string.utf8)) }

  static func text(_ string: String?) -> WireValue { string.map { .text($0) } ?? .null }

  static func integer(_ value: some FixedWidthInteger) -> WireValue {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: value)
    return .bytes(bytes)
  }

  static func texts(_ strings: [String]) throws(PostgresError) -> WireValue {
    var bytes: [UInt8] = []
    try bytes.append(textArray: strings)
    return .bytes(bytes)
  }

  static func integers(_ values: [Int32]) throws(PostgresError) -> WireValue {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: Int32(1))
    bytes.append(bigEndian: Int32(0))
    bytes.append(bigEndian: TypeNumber.int4)
    bytes.append(bigEndian: try Int32(checked: values.count))
    bytes.append(bigEndian: Int32(1))
    for value in values {
      bytes.append(bigEndian: Int32(4))
      bytes.append(bigEndian: value)
    }
    return .bytes(bytes)
  }
}

/// Numbers that PostgreSQL gives its own types, the same on every server.
enum TypeNumber {
  static let int4: Int32 = 23
  static let text: Int32 = 25
}

extension Int32 {
  /// A length that the protocol can say.
  init(checked count: Int) throws(PostgresError) {
    guard let value = Int32(exactly: count) else {
      throw PostgresError(
        .limitExceeded, "A value of \(count) bytes is more than PostgreSQL takes.")
    }
    self = value
  }
}

extension [UInt8] {
  mutating func append<Number: FixedWidthInteger>(bigEndian value: Number) {
    var shift = Number.bitWidth
    while shift > 0 {
      shift -= 8
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// An array of texts, of one dimension or none.
  mutating func append(textArray strings: [String]) throws(PostgresError) {
    append(bigEndian: Int32(strings.isEmpty ? 0 : 1))
    append(bigEndian: Int32(0))
    append(bigEndian: TypeNumber.text)
    guard !strings.isEmpty else { return }
    append(bigEndian: try Int32(checked: strings.count))
    append(bigEndian: Int32(1))
    for string in strings {
      append(bigEndian: try Int32(checked: string.utf8.count))
      append(contentsOf: string.utf8)
    }
  }

  /// A field whose length is known when it has been written.
  mutating func appendField(
    _ write: (inout [UInt8]) throws(PostgresError) -> Void
  ) throws(PostgresError) {
    let start = count
    append(bigEndian: Int32(0))
    try write(&self)
    let length = UInt32(bitPattern: try Int32(checked: count - start - 4))
    for offset in 0..<4 {
      self[start + offset] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * offset))
    }
  }
}
