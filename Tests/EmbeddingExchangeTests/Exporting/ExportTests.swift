import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingExchange

/// Exports hold what the store held, and are there whole or not at all.
@Suite struct ExportTests {
  private let directory: TemporaryDirectory
  private let array: URL
  private let records: URL

  init() throws {
    directory = try TemporaryDirectory()
    array = directory.url.appending(path: "vectors.npy")
    records = directory.url.appending(path: "records.jsonl")
  }

  private var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
        .filter { $0 != "store" }.sorted()
    }
  }

  private static func record(_ number: Int, using generator: inout SeededGenerator) -> Record {
    Record(
      key: number % 3 == 0 ? "päth/\"\(number)\"\n\u{2028}" : "\(number)",
      vector: RandomVectors.integers(dimension: 4, using: &generator),
      part: UInt16(number % 5),
      timestamp: number % 2 == 0 ? Date(timeIntervalSince1970: Double(number) * 1e6 + 0.123) : nil,
      labels: number % 4 == 0 ? ["z", "a\u{301}", "🐶"] : [],
      metadata: number % 7 == 0 ? Data([0, UInt8(number & 0xff)]) : nil,
      text: number % 11 == 0 ? "line\nbreak \u{1} \\ / é" : nil,
      revision: number % 3 == 1 ? Revision("\(number)") : nil)
  }

  @Test(arguments: ElementFormat.allCases)
  func anExportReadBackIsTheSameStore(_ format: ElementFormat) throws {
    let space = EmbeddingSpace(model: "test", dimension: 4, normalization: .none)
    let store = try EmbeddingStore(inMemory: space)
    var generator = SeededGenerator("export", seed: .random(in: .min ... .max))
    try store.put((0..<600).map { Self.record($0, using: &generator) })
    try store.compact()
    try store.put((500..<700).map { Self.record($0, using: &generator) })
    try store.remove(["1", "2"])
    var progress: [ExportProgress] = []
    let count = try store.exportVectors(toNumPy: array, records: records, as: format) {
      progress.append($0)
    }
    #expect(count == 698 && progress.map(\.writtenRowCount) == [256, 512, 698])
    #expect(try names == ["records.jsonl", "vectors.npy"])
    let copy = try EmbeddingStore(inMemory: space)
    let file = try VectorFile(npy: array)
    #expect(file.elementFormat == format)
    try copy.importVectors(file, records: .jsonLines(records))
    #expect(try copy.count() == 698)
    for row in try store.rows(changedSince: 0) {
      #expect(
        try copy.record(for: row.key, part: row.part)
          == store.record(for: row.key, part: row.part))
    }
  }

  @Test func normalizedRowsComeBackAsTheyWere() throws {
    let space = EmbeddingSpace(model: "test", dimension: 128)
    let store = try EmbeddingStore(inMemory: space)
    var generator = SeededGenerator("normalized export", seed: .random(in: .min ... .max))
    try store.put(
      RandomVectors.uniform(500, dimension: 128, using: &generator).enumerated().map {
        Record(key: "\($0)", vector: $1)
      })
    try store.exportVectors(toNumPy: array, records: records, as: .float16)
    let copy = try EmbeddingStore(inMemory: space)
    try copy.importVectors(VectorFile(npy: array), records: .jsonLines(records))
    for number in 0..<500 {
      #expect(try copy.vector(for: "\(number)") == store.vector(for: "\(number)"))
    }
  }

  @Test func anEmptyStoreIsAnArrayWithoutRows() throws {
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 4))
    #expect(try store.exportVectors(toNumPy: array, records: records) == 0)
    #expect(try VectorFile(npy: array).rowCount == 0)
    #expect(try store.importVectors(VectorFile(npy: array), records: .jsonLines(records)) == 0)
  }

  @Test func nothingIsReplaced() throws {
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 4))
    try store.put(Record(key: "a", vector: [1, 0, 0, 0]))
    for url in [array, records] {
      try Data("mine".utf8).write(to: url)
      expectError(.alreadyExists, naming: url.lastPathComponent) {
        try store.exportVectors(toNumPy: array, records: records)
      }
      #expect(try names == [url.lastPathComponent])
      #expect(try Data(contentsOf: url) == Data("mine".utf8))
      try FileManager.default.removeItem(at: url)
    }
    for url in [array, records] {
      try FileManager.default.createSymbolicLink(
        atPath: url.path, withDestinationPath: "nowhere")
      expectError(.alreadyExists, naming: url.lastPathComponent) {
        try store.exportVectors(toNumPy: array, records: records)
      }
      #expect(try names == [url.lastPathComponent])
      try FileManager.default.removeItem(at: url)
    }
    expectError(.alreadyExists) { try store.exportVectors(toNumPy: array, records: array) }
    #expect(try names == [])
    expectError(.notFound) {
      try store.exportVectors(
        toNumPy: array, records: directory.url.appending(path: "none/records"))
    }
    #expect(try names == [])
  }

  @Test func anExportThatFailsAtAnyCallLeavesNothing() throws {
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 4))
    var generator = SeededGenerator("failing export", seed: .random(in: .min ... .max))
    try store.put((0..<300).map { Self.record($0, using: &generator) })
    let faults = FaultyFileSystem(POSIXFileSystem())
    let export = VectorExport(
      rows: LiveRows(try store.snapshot()), elementFormat: .float16, arrayPath: array.path,
      recordsPath: records.path, fileSystem: faults)
    var number = 1
    while true {
      faults.setFaults(.noSpace(nil, number: number))
      var failure: StoreError?
      do throws(StoreError) { _ = try export.run { _ in } } catch { failure = error }
      if faults.failureCount == 0 { break }
      #expect(failure?.code == .noSpace, "call \(number)")
      #expect(try names == [], "call \(number)")
      number += 1
    }
    #expect(number > 12)
    #expect(try names == ["records.jsonl", "vectors.npy"])
  }

  @Test func aCancelledExportLeavesNothing() async throws {
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 4))
    try store.put((0..<600).map { Record(key: "\($0)", vector: [1, 2, 3, 4]) })
    let (array, records) = (array, records)
    let task = Task {
      try await store.exportVectors(toNumPy: array, records: records) { _ in
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: StoreError.self) { try await task.value }
    #expect(try names == [])
  }
}
