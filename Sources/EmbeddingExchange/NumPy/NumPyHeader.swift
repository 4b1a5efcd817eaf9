internal import EmbeddingFiles

/// What a `.npy` file says before its elements.
///
/// ```
/// offset   size
///      0      6  magic: 93 "NUMPY"
///      6      2  version: major, minor
///      8   2, 4  byte count of the text (2 in version 1, 4 later)
///               text: a Python dictionary, spaces, a line end; elements start behind it
/// ```
struct NumPyHeader {
  static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8)
  /// The text of an array of numbers has about 60 bytes; what is longer describes other things.
  static let maximumTextByteCount = 1 << 20

  let elementFormat: ElementFormat
  let rowCount: Int
  let dimension: Int
  /// The offset of the first element.
  let dataStart: Int

  /// Reads and checks the header of a file of `byteCount` bytes.
  init(of file: any File, byteCount: Int) throws(NumPyDefect) {
    let prefix = try Self.read(file, at: 0, count: 12)
    guard prefix.starts(with: Self.magic), prefix.count >= 10 else {
      throw .malformed("it does not begin as one")
    }
    guard (1...3).contains(prefix[6]), prefix[7] == 0 else { throw .laterVersion(prefix[6]) }
    let lengthByteCount = prefix[6] == 1 ? 2 : 4
    let textByteCount = prefix.withRawSpan {
      lengthByteCount == 2
        ? $0.integer(at: 8, as: UInt16.self).map { Int($0) }
        : $0.integer(at: 8, as: UInt32.self).map { Int($0) }
    }
    let textStart = 8 + lengthByteCount
    guard let textByteCount, textByteCount <= byteCount - textStart else {
      throw .malformed("the file ends within the header")
    }
    guard textByteCount <= Self.maximumTextByteCount else {
      throw .malformed("its header has \(textByteCount) bytes")
    }
    let text = try Self.read(file, at: textStart, count: textByteCount)
    guard text.count == textByteCount else { throw .malformed("the file ends within the header") }
    dataStart = textStart + textByteCount
    (elementFormat, rowCount, dimension) = try Self.description(PythonLiteral(parsing: text))
    try checkSize(byteCount)
  }

  private static func read(
    _ file: any File, at offset: Int, count: Int
  ) throws(NumPyDefect) -> [UInt8] {
    do throws(StorageError) {
      return try file.read(at: UInt64(offset), byteCount: count)
    } catch {
      throw .unreadable(error)
    }
  }

  /// The file must hold all elements, and nothing else.
  private func checkSize(_ byteCount: Int) throws(NumPyDefect) {
    let (row, isTooLong) = dimension.multipliedReportingOverflow(by: elementFormat.byteCount)
    let (elements, isTooLarge) = row.multipliedReportingOverflow(by: rowCount)
    guard !isTooLong, !isTooLarge else {
      throw .malformed("its shape (\(rowCount), \(dimension)) is beyond what a file can hold")
    }
    guard elements == byteCount - dataStart else {
      throw .malformed(
        "its shape (\(rowCount), \(dimension)) takes \(elements) bytes, and \(byteCount - dataStart) "
          + "follow the header")
    }
  }
}
