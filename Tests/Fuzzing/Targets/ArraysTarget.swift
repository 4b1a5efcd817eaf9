import EmbeddingExchange
import EmbeddingStores
import EmbeddingTestSupport
import Foundation

/// An array, or an `.fvecs` file, with a list of records.
///
/// Importing stores every row or none. What was stored is what the files say, and comes back the same
/// from an export.
struct ArraysTarget: FuzzTarget {
  let name = "arrays"
  private static let largestDimension = 64

  func seeds() throws -> [[UInt8]] { try ArraySeeds.all() }

  /// An input is one byte of form (bit 0: `.fvecs`; bits 1 and 2: the kind of list), two of the array's
  /// size, the array, and the list.
  func run(_ input: [UInt8]) throws {
    try ScratchFolder.with { try run(input, in: $0.url) }
  }

  private func run(_ input: [UInt8], in directory: URL) throws {
    var source = ByteSource(input)
    let form = source.byte()
    let array = directory.appending(path: "array")
    let list = directory.appending(path: "list")
    try Data(source.bytes(source.number(byteCount: 2))).write(to: array)
    let lines = source.rest()
    try Data(lines).write(to: list)
    guard let vectors = try Self.open(array, isFvecs: form & 1 == 1) else { return }
    let records: RecordList =
      switch form >> 1 & 3 {
      case 0: .jsonLines(list)
      case 1: .keys(list)
      default: .rowNumbers
      }
    let space = EmbeddingSpace(
      model: "m", dimension: vectors.dimension, normalization: .none)
    let store = try EmbeddingStore(inMemory: space, configuration: .fuzzed)
    let importedCount: Int
    do throws(StoreError) {
      importedCount = try store.importVectors(vectors, records: records)
    } catch {
      let count = try store.count()
      return try FuzzFinding.require(count == 0, "\(error) left \(count) rows.")
    }
    let (count, rowCount) = (try store.count(), vectors.rowCount)
    try FuzzFinding.require(
      importedCount == rowCount && count == rowCount,
      "\(importedCount) of \(rowCount) rows were imported, and \(count) are there.")
    try ListedRecords(records, lines, count: rowCount).check(store, vectors)
    try Self.checkExport(of: store, in: directory)
  }

  /// Nil for what is refused, and for more components than a test needs.
  private static func open(_ array: URL, isFvecs: Bool) throws -> VectorFile? {
    let vectors: VectorFile
    do throws(StoreError) {
      vectors = isFvecs ? try VectorFile(fvecs: array) : try VectorFile(npy: array)
    } catch {
      return nil
    }
    return vectors.dimension <= largestDimension ? vectors : nil
  }

  private static func checkExport(of store: EmbeddingStore, in directory: URL) throws {
    let holdings = try Holdings(store)
    for format in ElementFormat.allCases {
      let array = directory.appending(path: "\(format).npy")
      let list = directory.appending(path: "\(format).jsonl")
      try store.exportVectors(toNumPy: array, records: list, as: format)
      let copy = try EmbeddingStore(inMemory: store.space, configuration: .fuzzed)
      try copy.importVectors(VectorFile(npy: array), records: .jsonLines(list))
      try FuzzFinding.require(
        try Holdings(copy) == holdings, "Records did not come back from an export as they were.")
    }
  }
}
