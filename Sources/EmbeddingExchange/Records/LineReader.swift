internal import EmbeddingFiles
internal import EmbeddingStores

/// Reads a text file line by line, holding one line and what was read beyond it.
struct LineReader {
  /// The longest record in JSON, with every byte of text and labels escaped, has about 220 MiB.
  static let maximumLineByteCount = 256 << 20

  private let file: any File
  private let chunkByteCount: Int
  private var buffer: [UInt8] = []
  /// What of the buffer was given out.
  private var consumed = 0
  private var offset: UInt64 = 0
  private var isAtEnd = false
  /// Lines given out so far: the number of the last one, from 1.
  private(set) var lineNumber = 0

  init(_ file: any File, chunkByteCount: Int = 256 << 10) {
    self.file = file
    self.chunkByteCount = chunkByteCount
  }

  /// The next line without its end, or nil after the last one. A line end at the end of the file
  /// begins no line.
  mutating func next() throws(StoreError) -> ArraySlice<UInt8>? {
    var searched = consumed
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { consumed = end + 1 }
        return line(upTo: end)
      }
      searched = buffer.count
      guard !isAtEnd else { break }
      guard buffer.count - consumed <= Self.maximumLineByteCount else {
        throw StoreError(
          .malformedFile, "Line \(lineNumber + 1) is longer than 256 MiB.", path: file.path)
      }
      searched -= consumed
      try readMore()
    }
    guard consumed < buffer.count else { return nil }
    defer { consumed = buffer.count }
    return line(upTo: buffer.count)
  }

  private mutating func line(upTo end: Int) -> ArraySlice<UInt8> {
    lineNumber += 1
    var line = buffer[consumed..<end]
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    // Some editors begin a file with a byte order mark.
    if lineNumber == 1, line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
    return line
  }

  private mutating func readMore() throws(StoreError) {
    buffer.removeFirst(consumed)
    consumed = 0
    let chunk = try translatingErrors { () throws(StorageError) in
      try file.read(at: offset, byteCount: chunkByteCount)
    }
    offset += UInt64(chunk.count)
    isAtEnd = chunk.isEmpty
    buffer += chunk
  }
}
