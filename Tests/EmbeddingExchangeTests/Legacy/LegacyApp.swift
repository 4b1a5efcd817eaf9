import EmbeddingExchange
import EmbeddingTestSupport
import Foundation

/// The files as the app wrote them, call by call, with its own faults.
final class LegacyApp {
  static let dimension = 512

  let files: LegacyFiles
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    files = LegacyFiles(in: directory.url)
  }

  struct Item {
    var key: String
    var vector: [Float]

    init(_ key: String, _ vector: [Float]? = nil) {
      self.key = key
      self.vector = vector ?? LegacyApp.vector(key)
    }

    var bytes: Data {
      var data = Data()
      withUnsafeBytes(of: UInt16(key.utf8.count).littleEndian) { data.append(contentsOf: $0) }
      data += Data(key.utf8)
      for component in vector {
        withUnsafeBytes(of: component.bitPattern.littleEndian) { data.append(contentsOf: $0) }
      }
      return data
    }
  }

  /// The vector of a key, the same in every process.
  static func vector(_ key: String) -> [Float] {
    let seed = key.utf8.reduce(UInt64(7)) { $0 &* 131 &+ UInt64($1) }
    var generator = SeededGenerator(seed: seed)
    return RandomVectors.vector(dimension: dimension, using: &generator)
  }

  /// The key of a photo, as the system makes them.
  static func photo(_ number: Int) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    let padded = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    return "B84E8479-475C-4727-A4A4-\(padded)/L0/001"
  }

  /// `saveAll`: a header and all records, then the journal and the tombstones go.
  func saveAll(_ items: [Item], version: UInt32 = 1, count: UInt32? = nil) throws {
    var data = Data("QEMB".utf8)
    for field in [version, count ?? UInt32(items.count)] {
      withUnsafeBytes(of: field.littleEndian) { data.append(contentsOf: $0) }
    }
    for item in items { data += item.bytes }
    try data.write(to: files.main)
    try? FileManager.default.removeItem(at: files.journal)
    try? FileManager.default.removeItem(at: files.tombstones)
  }

  /// `appendNew`: records behind whatever the journal has, of which a kill may leave the first bytes.
  func appendNew(_ items: [Item], byteCount: Int? = nil) throws {
    let bytes = items.reduce(Data()) { $0 + $1.bytes }
    try append(bytes.prefix(byteCount ?? bytes.count), to: files.journal)
  }

  /// `markDeleted`: one key a line.
  func markDeleted(_ keys: [String]) throws {
    try append(Data(keys.map { $0 + "\n" }.joined().utf8), to: files.tombstones)
  }

  func append(_ bytes: Data, to url: URL) throws {
    if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
    let handle = try FileHandle(forWritingTo: url)
    try handle.seekToEnd()
    try handle.write(contentsOf: bytes)
    try handle.close()
  }

  func removeFiles() throws {
    for url in [files.main, files.journal, files.tombstones] {
      try? FileManager.default.removeItem(at: url)
    }
  }
}
