import EmbeddingFiles
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The file systems that must keep the same promises.
enum TestedFileSystem: CaseIterable, CustomTestStringConvertible {
  case posix, memory

  var testDescription: String { "\(self)" }

  /// Runs `body` in an empty directory that goes away afterwards.
  func withDirectory(_ body: (any FileSystem, String) throws -> Void) throws {
    switch self {
    case .posix:
      let directory = try TemporaryDirectory()
      try body(POSIXFileSystem(), directory.path)
    case .memory:
      let files = MemoryFileSystem()
      try files.createDirectory("/scratch")
      try body(files, "/scratch")
    }
  }
}

/// A directory on disk, removed with everything in it at the end of its life.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/embedding-files-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    path = try #require(made, "mkdtemp: errno \(errno)")
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    if let listing = opendir(path) {
      while let entry = readdir(listing) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
          tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard name != ".", name != ".." else { continue }
        var attributes = stat()
        let child = "\(path)/\(name)"
        if lstat(child, &attributes) == 0, attributes.st_mode & S_IFMT == S_IFDIR {
          remove(child)
        } else {
          _ = unlink(child)
        }
      }
      closedir(listing)
    }
    _ = rmdir(path)
  }
}

extension File {
  func write(_ bytes: [UInt8], at offset: UInt64) throws(StorageError) {
    let block = ContiguousArray(bytes)
    try write(block.span.bytes, at: offset)
  }

  func contents() throws -> [UInt8] {
    try read(at: 0, byteCount: Int(attributes().byteCount))
  }
}

extension FileSystem {
  /// Creates `path` with `bytes`, and leaves it closed.
  func make(_ path: String, _ bytes: [UInt8] = []) throws {
    let file = try open(path, .create)
    try file.write(bytes, at: 0)
    try file.close()
  }

  func contents(_ path: String) throws -> [UInt8] {
    try open(path, .read).contents()
  }
}

extension MappedBytes {
  var array: [UInt8] { withBytes { span in (0..<span.byteCount).map { span[$0] } } }
}

extension RawSpan {
  subscript(index: Int) -> UInt8 { unsafeLoad(fromByteOffset: index, as: UInt8.self) }
}

/// The error that `body` ends in, which must be a `StorageError`.
func storageError(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws -> StorageError {
  let error = #expect(throws: StorageError.self, sourceLocation: sourceLocation) { try body() }
  return try #require(error, sourceLocation: sourceLocation)
}

/// SplitMix64: the same numbers for the same seed on every platform.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
