import EmbeddingFiles

/// The files of a store as bytes, whatever they are.
///
/// An input describes them by pieces, so that the zeros between them cost nothing and a change in
/// one does not move the others:
///
/// ```
/// offset  size
///      0     1  file: 0 MANIFEST, 1 main, 2 journal, 3 LOCK (of the remainder by 4)
///      1     3  offset in the file (below 1 MiB)
///      4     2  byte count
///      6        bytes
/// ```
struct StoreImage: Equatable {
  enum Part: Int, CaseIterable {
    case manifest, main, journal, lock
  }

  static let path = "/store"
  private static let largestOffset = 1 << 20

  /// Nil for a file that is not there.
  private var parts = [[UInt8]?](repeating: nil, count: Part.allCases.count)

  subscript(part: Part) -> [UInt8]? {
    get { parts[part.rawValue] }
    set { parts[part.rawValue] = newValue }
  }

  init(input: [UInt8]) {
    var source = ByteSource(input)
    while !source.isEmpty {
      let index = source.below(Part.allCases.count)
      let offset = source.number(byteCount: 3) % Self.largestOffset
      let piece = source.bytes(source.number(byteCount: 2))
      var bytes = parts[index] ?? []
      let missing = offset + piece.count - bytes.count
      if missing > 0 { bytes += [UInt8](repeating: 0, count: missing) }
      bytes.replaceSubrange(offset..<offset + piece.count, with: piece)
      parts[index] = bytes
    }
  }

  /// The files in force of a store that the library wrote.
  init(of fileSystem: MemoryFileSystem) throws {
    let directory = StoreDirectory(fileSystem, path: Self.path)
    let manifest = try directory.readManifest()
    let paths: [(Part, String)] = [
      (.manifest, directory.manifestPath), (.main, directory.mainPath(manifest.mainGeneration)),
      (.journal, directory.journalPath(manifest.journalGeneration)), (.lock, directory.lockPath),
    ]
    for (part, path) in paths {
      guard try fileSystem.attributes(of: path) != nil else { continue }
      self[part] = try fileSystem.open(path, .read).read(at: 0, byteCount: Self.largestOffset)
    }
  }

  /// The input that describes these files.
  func encoded() -> [UInt8] {
    let writer = ByteWriter()
    for (index, bytes) in parts.enumerated() {
      guard let bytes else { continue }
      for range in Self.pieces(of: bytes) {
        writer.append(UInt8(index))
        writer.append(UInt16(truncatingIfNeeded: range.lowerBound))
        writer.append(UInt8(truncatingIfNeeded: range.lowerBound >> 16))
        writer.append(UInt16(range.count))
        writer.append(Array(bytes[range]))
      }
    }
    return writer.bytes
  }

  /// The bytes between runs of at least eight zeros, and the end of the file.
  private static func pieces(of bytes: [UInt8]) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    var start: Int?
    var end = 0
    for (offset, byte) in bytes.enumerated() where byte != 0 {
      if let begun = start, offset - end >= 8 || offset - begun >= Int(UInt16.max) {
        pieces.append(begun..<end)
        start = offset
      }
      start = start ?? offset
      end = offset + 1
    }
    if let start { pieces.append(start..<end) }
    if end < bytes.count || bytes.isEmpty { pieces.append(bytes.count..<bytes.count) }
    return pieces
  }

  /// A file system with these files, under the names by which the manifest calls them.
  func fileSystem() throws(StorageError) -> MemoryFileSystem {
    let fileSystem = MemoryFileSystem()
    let directory = StoreDirectory(fileSystem, path: Self.path)
    try fileSystem.createDirectory(Self.path)
    let manifest = self[.manifest] ?? []
    let paths = [
      directory.manifestPath, directory.mainPath(manifest.number(at: 32) ?? 1),
      directory.journalPath(manifest.number(at: 40) ?? 1), directory.lockPath,
    ]
    for (path, bytes) in zip(paths, parts) {
      guard let bytes else { continue }
      let file = try fileSystem.open(path, .create)
      try bytes.withRawSpan { (span) throws(StorageError) in try file.write(span, at: 0) }
      try file.close()
    }
    return fileSystem
  }
}
