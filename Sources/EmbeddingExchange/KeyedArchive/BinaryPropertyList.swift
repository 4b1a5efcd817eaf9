/// Apple's binary property list, read one object at a time.
///
/// ```
/// "bplist00", objects, table of their offsets, and at the end 32 bytes:
/// offset  size
///      0     6  unused
///      6     1  bytes of an offset in the table
///      7     1  bytes of a reference to an object
///      8     8  number of objects
///     16     8  the object at the top
///     24     8  where the table begins
/// ```
/// Numbers are big-endian. Nothing is followed or held that was not asked for, so that references in
/// circles, or many to one object, cost nothing. Foundation's decoder of keyed archives ends the process
/// on Linux when a file holds a class that it was not told of, hence this one.
struct BinaryPropertyList {
  enum Object: Equatable {
    case string(String)
    case integer(Int64)
    case real(Double)
    case data(Range<Int>)
    /// A number that a keyed archive refers to its objects by.
    case identifier(Int)
    case array([Int])
    /// References to names and to values.
    case dictionary([Int], [Int])
  }

  let bytes: [UInt8]
  let top: Int
  private let objectCount: Int
  private let offsetByteCount: Int
  private let referenceByteCount: Int
  private let tableStart: Int

  /// Reads the last 32 bytes; nil when they are those of no property list.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    guard bytes.starts(with: Array("bplist00".utf8)), bytes.count >= 40 else { return nil }
    let trailer = bytes.count - 32
    offsetByteCount = Int(bytes[trailer + 6])
    referenceByteCount = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount),
      let count = Self.number(bytes, trailer + 8, 8), let top = Self.number(bytes, trailer + 16, 8),
      let start = Self.number(bytes, trailer + 24, 8), start <= trailer,
      count <= (trailer - start) / offsetByteCount
    else { return nil }
    (objectCount, self.top, tableStart) = (count, top, start)
  }

  /// The object that a reference means, or nil when there is none or it is of no kind above.
  func object(_ reference: Int) -> Object? {
    guard (0..<objectCount).contains(reference),
      let start = Self.number(bytes, tableStart + reference * offsetByteCount, offsetByteCount),
      start < tableStart
    else { return nil }
    let (kind, low) = (bytes[start] >> 4, Int(bytes[start] & 0x0f))
    switch kind {
    case 1 where low <= 3: return integer(at: start + 1, byteCount: 1 << low).map { .integer($0) }
    case 2: return real(at: start + 1, byteCount: 1 << low).map { .real($0) }
    case 8: return Self.number(bytes, start + 1, low + 1).map { .identifier($0) }
    case 4, 5, 6, 0xa, 0xd: return sequence(kind, low, at: start)
    default: return nil
    }
  }

  private func integer(at start: Int, byteCount: Int) -> Int64? {
    guard byteCount == 8 else { return Self.number(bytes, start, byteCount).map { Int64($0) } }
    return Self.bits(bytes, start, 8).map { Int64(bitPattern: $0) }
  }

  private func real(at start: Int, byteCount: Int) -> Double? {
    switch byteCount {
    case 4:
      Self.bits(bytes, start, 4).map { Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0))) }
    case 8: Self.bits(bytes, start, 8).map { Double(bitPattern: $0) }
    default: nil
    }
  }

  private func sequence(_ kind: UInt8, _ low: Int, at start: Int) -> Object? {
    var (first, count) = (start + 1, low)
    // A count of 15 or more is a number of its own.
    if low == 0x0f {
      guard first < bytes.count, bytes[first] >> 4 == 1, bytes[first] & 0x0f <= 3 else {
        return nil
      }
      let byteCount = 1 << Int(bytes[first] & 0x0f)
      guard let stated = Self.number(bytes, first + 1, byteCount) else { return nil }
      (first, count) = (first + 1 + byteCount, stated)
    }
    let unit =
      kind == 6 ? 2 : kind == 0xa ? referenceByteCount : kind == 0xd ? 2 * referenceByteCount : 1
    guard first <= tableStart, count <= (tableStart - first) / unit else { return nil }
    let range = first..<first + count * unit
    switch kind {
    case 4: return .data(range)
    case 5: return String(validating: bytes[range], as: UTF8.self).map { .string($0) }
    case 6:
      let units = (0..<count).map {
        UInt16(bytes[first + 2 * $0]) << 8 | UInt16(bytes[first + 2 * $0 + 1])
      }
      return String(validating: units, as: UTF16.self).map { .string($0) }
    case 0xa: return references(first, count).map { .array($0) }
    default:
      guard let names = references(first, count),
        let values = references(first + count * referenceByteCount, count)
      else { return nil }
      return .dictionary(names, values)
    }
  }

  private func references(_ start: Int, _ count: Int) -> [Int]? {
    var references: [Int] = []
    for index in 0..<count {
      let offset = start + index * referenceByteCount
      guard let reference = Self.number(bytes, offset, referenceByteCount) else { return nil }
      references.append(reference)
    }
    return references
  }

  /// An unsigned number that is a count or an offset; nil beyond the bytes, and beyond `Int`.
  private static func number(_ bytes: [UInt8], _ start: Int, _ byteCount: Int) -> Int? {
    bits(bytes, start, byteCount).flatMap { Int(exactly: $0) }
  }

  private static func bits(_ bytes: [UInt8], _ start: Int, _ byteCount: Int) -> UInt64? {
    guard start >= 0, byteCount <= 8, start <= bytes.count - byteCount else { return nil }
    return bytes[start..<start + byteCount].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
