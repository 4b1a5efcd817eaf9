import Testing

@testable import EmbeddingFiles

/// Bytes of a file that a test damages, or changes and seals again as a careful forger would.
struct TestBytes {
  var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }

  func value<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as: Value.Type) -> Value {
    bytes.withRawSpan { $0.integer(at: offset, as: Value.self) } ?? 0
  }

  mutating func set<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    withUnsafeBytes(of: value.littleEndian) { source in
      bytes.replaceSubrange(offset..<offset + source.count, with: source)
    }
  }

  mutating func flip(bit: Int, at offset: Int) {
    bytes[offset] ^= 1 << UInt8(bit)
  }

  /// Writes the checksum of everything before `offset` there.
  mutating func seal(at offset: Int) {
    set(checksum(0..<offset), at: offset)
  }

  /// Makes every checksum of a main file hold again, as far as its header makes sense.
  mutating func sealMainFile() {
    let table = value(at: 104, as: UInt64.self)
    if let end = Int(exactly: table), end >= MainHeader.byteCount, end <= count {
      var offset = end
      for start in stride(from: MainHeader.byteCount, to: end, by: MainHeader.blockByteCount)
      where offset + 4 <= count {
        set(checksum(start..<min(start + MainHeader.blockByteCount, end)), at: offset)
        offset += 4
      }
      set(checksum(end..<count), at: 116)
    }
    seal(at: MainHeader.byteCount - 4)
  }

  private func checksum(_ range: Range<Int>) -> UInt32 {
    bytes.withRawSpan { Checksum.masked(Checksum.crc32c($0.extracting(range))) }
  }
}

/// The code of the error that `body` throws; nil when it throws none.
func errorCode(_ body: () throws(StorageError) -> Void) -> StorageError.Code? {
  do throws(StorageError) {
    try body()
    return nil
  } catch {
    return error.code
  }
}

extension [UInt8] {
  /// From digits, with anything else between them.
  init(hexadecimal text: String) {
    let digits = text.compactMap(\.hexDigitValue)
    self = stride(from: 0, to: digits.count, by: 2).map {
      UInt8(digits[$0]) << 4 | UInt8(digits[$0 + 1])
    }
  }
}
