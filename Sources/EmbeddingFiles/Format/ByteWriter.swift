/// Builds little-endian bytes in memory.
package struct ByteWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package init(capacity: Int) {
    bytes.reserveCapacity(capacity)
  }

  package var count: Int { bytes.count }

  package mutating func append<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func append(_ span: RawSpan) {
    span.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  package mutating func append(_ array: [UInt8]) {
    bytes.append(contentsOf: array)
  }

  /// Appends the UTF-8 bytes of a string.
  package mutating func append(utf8 string: String) {
    bytes.append(contentsOf: string.utf8)
  }

  package mutating func appendZeros(_ count: Int) {
    bytes.append(contentsOf: repeatElement(0, count: count))
  }

  /// Appends zeros until the count is a multiple of `alignment`.
  package mutating func pad(to alignment: Int) {
    appendZeros((alignment - bytes.count % alignment) % alignment)
  }

  /// Replaces bytes already written at `offset`.
  package mutating func overwrite<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    withUnsafeBytes(of: value.littleEndian) { source in
      for index in source.indices {
        bytes[offset + index] = source[index]
      }
    }
  }

  /// Calls `body` with the bytes written so far.
  package func withRawSpan<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withRawSpan(body)
  }

  /// Forgets the first `count` bytes.
  package mutating func removeFirst(_ count: Int) {
    bytes.removeFirst(count)
  }
}
