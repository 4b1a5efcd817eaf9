import EmbeddingExchange
import EmbeddingStores
import EmbeddingTestSupport
import Foundation

/// The legacy app's three files, or a keyed archive, being imported.
///
/// Either an error says why not, and nothing is stored; or as many records are there as the report says,
/// none of them made up, and what it lists as left is not among them. The files stay as they are.
struct LegacyTarget: FuzzTarget {
  let name = "legacy"
  static let dimension = 4

  func seeds() throws -> [[UInt8]] { try LegacySeeds.all() }

  /// An input is a byte that is even for the app's files: two bytes of the main file's size and the main
  /// file, the same of the journal, and the list of removed keys. An empty file is not there.
  func run(_ input: [UInt8]) throws {
    try ScratchFolder.with { try run(input, in: $0.url) }
  }

  private func run(_ input: [UInt8], in directory: URL) throws {
    var source = ByteSource(input)
    let isKeyedArchive = source.byte() & 1 == 1
    let files = LegacyFiles(in: directory)
    var contents: [(URL, [UInt8])] = []
    if !isKeyedArchive {
      for file in [files.main, files.journal] {
        contents.append((file, source.bytes(source.number(byteCount: 2))))
      }
    }
    contents.append((isKeyedArchive ? files.main : files.tombstones, source.rest()))
    // Foundation leaks 4 KiB whenever it reads an empty file.
    for (file, bytes) in contents where !bytes.isEmpty { try Data(bytes).write(to: file) }
    let before = try DirectoryImage(directory)
    let space = EmbeddingSpace(model: "m", dimension: Self.dimension, normalization: .none)
    let store = try EmbeddingStore(inMemory: space, configuration: .fuzzed)
    let report: LegacyReport?
    do throws(StoreError) {
      report =
        isKeyedArchive
        ? try store.importKeyedArchive(files.main) : try store.importLegacyFiles(files)
    } catch {
      report = nil
    }
    try FuzzFinding.require(
      try DirectoryImage(directory) == before, "The files were changed.")
    let holdings = try Holdings(store)
    let (count, importedCount) = (holdings.records.count, report?.importedCount ?? 0)
    try FuzzFinding.require(
      count == importedCount, "\(count) records are there, and \(importedCount) were reported.")
    guard let report else { return }
    try Self.check(report, before, holdings)
    guard !isKeyedArchive else { return }
    for record in holdings.records.values {
      try FuzzFinding.require(
        before.files.values.contains { LegacyBytes($0).hold(record) },
        "No file holds a record as it was stored under \(record.key).")
    }
  }

  private static func check(
    _ report: LegacyReport, _ files: DirectoryImage, _ holdings: Holdings
  ) throws {
    // Keys that are no UTF-8 are repaired in the report.
    for leftover in report.leftovers where !leftover.key.contains("\u{fffd}") {
      try FuzzFinding.require(
        holdings.records[StoreModel.Identity(leftover.key, 0)] == nil,
        "\(leftover.key) was left and stored.")
    }
    for damage in report.damages {
      let name = URL(filePath: damage.path).lastPathComponent
      let byteCount = files.files[name]?.count ?? 0
      try FuzzFinding.require(
        damage.bytes.lowerBound >= 0 && damage.bytes.upperBound <= byteCount,
        "Damage of \(byteCount) bytes at \(damage.bytes).")
    }
  }
}

/// The bytes of a legacy file.
private struct LegacyBytes {
  private let bytes: [UInt8]

  init(_ data: Data) {
    bytes = [UInt8](data)
  }

  /// Whether the size and bytes of a record's key, and components that round to its own, are anywhere.
  func hold(_ record: Record) -> Bool {
    let key = Array(record.key.utf8)
    let head = [UInt8(key.count & 0xff), UInt8(key.count >> 8)] + key
    return bytes.indices.contains { start in
      guard bytes[start] == head[0], bytes[start...].starts(with: head) else { return false }
      return record.vector.indices.allSatisfy { index in
        guard let bits = bytes.number(at: start + head.count + 4 * index) as UInt32? else {
          return false
        }
        let (stored, original) = (record.vector[index], Float(bitPattern: bits))
        return abs(stored - original) <= max(0x1p-25, abs(original) * 0x1p-11)
      }
    }
  }
}
