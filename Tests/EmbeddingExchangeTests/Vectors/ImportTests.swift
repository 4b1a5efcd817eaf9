import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingExchange

/// What an import takes, what it refuses, and that refusing stores nothing.
@Suite struct ImportTests {
  private let directory: TemporaryDirectory
  private let store: EmbeddingStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 3))
  }

  private func array(_ vectors: [[Float]]) throws -> VectorFile {
    try VectorFile(
      npy: ArrayBytes(vectors).write(to: directory.url.appending(path: "array.npy")))
  }

  private func keys(_ text: String) throws -> RecordList {
    .keys(try write(text, "keys.txt"))
  }

  private func jsonLines(_ text: String) throws -> RecordList {
    .jsonLines(try write(text, "records.jsonl"))
  }

  private func write(_ text: String, _ name: String) throws -> URL {
    let url = directory.url.appending(path: name)
    try Data(text.utf8).write(to: url)
    return url
  }

  @Test(arguments: ["a\nb b\né", "a\nb b\né\n", "a\r\nb b\r\né\r\n", "\u{feff}a\nb b\né\n"])
  func keysAreLines(_ text: String) throws {
    let vectors: [[Float]] = [[1, 0, 0], [0, 2, 0], [0, 0, -3]]
    #expect(try store.importVectors(array(vectors), records: keys(text)) == 3)
    #expect(try store.vector(for: "a") == [1, 0, 0])
    #expect(try store.vector(for: "b b") == [0, 1, 0])
    #expect(try store.vector(for: "é") == [0, 0, -1])
  }

  @Test func jsonLinesSayEverything() throws {
    let list = try jsonLines(
      """
      {"key": "a", "part": 7, "timestamp": 1700000000123, "labels": ["x", "y", "x"], "text": "w\\n\\u00e9",
       "metadata": "AAEC/w==", "revision": "18446744073709551615"}
      {"key":"b\\nb"}
      {"key":"c","part":null,"timestamp":null,"labels":null,"text":"","metadata":"","revision":null}
      """.replacingOccurrences(of: ",\n ", with: ","))
    try store.importVectors(array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), records: list)
    let first = try #require(try store.record(for: "a", part: 7))
    #expect(
      first
        == Record(
          key: "a", vector: [1, 0, 0], part: 7,
          timestamp: Date(timeIntervalSince1970: 1_700_000_000.123), labels: ["x", "y"],
          metadata: Data([0, 1, 2, 255]), text: "w\né", revision: Revision(rawValue: .max)))
    #expect(try store.record(for: "b\nb") == Record(key: "b\nb", vector: [0, 1, 0]))
    #expect(
      try store.record(for: "c")
        == Record(key: "c", vector: [0, 0, 1], metadata: Data(), text: ""))
  }

  @Test func rowNumbersAreKeys() throws {
    try store.importVectors(array([[1, 0, 0], [0, 1, 0]]), records: .rowNumbers)
    #expect(try store.keys().sorted() == ["0", "1"])
  }

  @Test func recordsOfOtherKeysStayAndOthersAreReplaced() throws {
    try store.put([
      Record(key: "a", vector: [0, 0, 1], text: "old"), Record(key: "z", vector: [0, 0, 1]),
    ])
    try store.importVectors(array([[1, 0, 0], [0, 1, 0]]), records: keys("a\nb"))
    #expect(try store.keys().sorted() == ["a", "b", "z"])
    #expect(try store.record(for: "a") == Record(key: "a", vector: [1, 0, 0]))
  }

  @Test(arguments: [
    (0, Float.nan, StoreError.Code.notFinite), (1, .infinity, .notFinite),
    (2_999, -.infinity, .notFinite), (1_500, 0, .zeroVector), (2_048, 1e-9, .zeroVector),
  ])
  func aVectorThatCanNotBeStoredIsNamedAndNothingIsStored(
    _ row: Int, _ value: Float, _ code: StoreError.Code
  ) throws {
    var vectors = [[Float]](repeating: [1, 2, 3], count: 3_000)
    vectors[row] = value.isFinite ? [value, 0, 0] : [1, value, 1]
    expectError(code, naming: "Row \(row):", "array.npy") {
      try store.importVectors(try array(vectors), records: .rowNumbers)
    }
    #expect(try store.count() == 0)
  }

  @Test func whatFloat32CanNotHoldIsNotFinite() throws {
    var array = ArrayBytes(descr: "'<f8'", shape: "(1, 3)", elements: Data())
    for value in [1, 1e300, 1] {
      withUnsafeBytes(of: value.bitPattern.littleEndian) { array.elements.append(contentsOf: $0) }
    }
    let url = try array.write(to: directory.url.appending(path: "array.npy"))
    expectError(.notFinite, naming: "Row 0:") {
      try store.importVectors(try VectorFile(npy: url), records: .rowNumbers)
    }
  }

  @Test(arguments: [
    ("a\nb", StoreError.Code.countMismatch), ("a\nb\nc\nd", .countMismatch), ("", .countMismatch),
    ("a\n\nc", .malformedFile), ("a\nb\n\n", .malformedFile), ("a\nb\na", .duplicateKey),
  ])
  func keysThatDoNotFitAreRefused(_ text: String, _ code: StoreError.Code) throws {
    expectError(code) {
      try store.importVectors(
        try array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), records: try keys(text))
    }
    #expect(try store.count() == 0)
  }

  @Test func aKeyThatIsNotUTF8OrTooLongIsRefused() throws {
    let url = directory.url.appending(path: "keys.txt")
    try Data([0x61, 0x0a, 0xff, 0x0a]).write(to: url)
    let vectors = try array([[1, 0, 0], [0, 1, 0]])
    expectError(.malformedFile, naming: "Line 2", "keys.txt") {
      try store.importVectors(vectors, records: .keys(url))
    }
    let long = String(repeating: "k", count: 65_536)
    expectError(.invalidKey, naming: "Row 1:") {
      try store.importVectors(vectors, records: try keys("a\n\(long)"))
    }
  }

  @Test(arguments: [
    "", "null", "[]", "3", "\"a\"", "{", "{}", "{\"key\": 3}", "{\"key\": null}",
    "{\"key\": \"a\", \"part\": 65536}", "{\"key\": \"a\", \"part\": -1}",
    "{\"key\": \"a\", \"timestamp\": \"2024-01-01\"}", "{\"key\": \"a\", \"timestamp\": 1e300}",
    "{\"key\": \"a\", \"timestamp\": 0.5}", "{\"key\": \"a\", \"labels\": \"x\"}",
    "{\"key\": \"a\", \"metadata\": \"not base64!\"}", "{\"key\": \"a\", \"metadata\": {}}",
    "{\"key\": \"a\", \"revision\": 5}", "{\"key\": \"a\", \"revision\": \"0\"}",
    "{\"key\": \"a\", \"label\": [\"misspelt\"]}", "{\"key\": \"\\ud800\"}",
    "{\"key\": \"a\", \"revision\": \"+5\"}", "{\"key\": \"a\", \"key\": \"b\"}",
    "{\"key\": \"a\", \"\\u006bey\": \"b\"}", "{\"key\": \"a\", \"text\": null, \"text\": null}",
    "{\"key\": \"a\", \"labels\": [\"x:\"], \"labels\": []}", "{\"key\": \"a\u{1}\"}",
    "{\u{0}\"\u{0}}\u{0}", "{'key': 'a'}", "{\"key\": \"a\"} // a",
    "{\"key\": \"a\"} {\"key\": \"b\"}", "{\"key\": " + String(repeating: "[", count: 100_000),
  ])
  func aLineThatIsNoRecordIsNamed(_ line: String) throws {
    expectError(.malformedFile, naming: "Line 2", "records.jsonl") {
      try store.importVectors(
        try array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
        records: try jsonLines("{\"key\":\"first\"}\n\(line)\n{\"key\":\"last\"}\n"))
    }
    #expect(try store.count() == 0)
  }

  @Test func colonsAndQuotesInStringsAreNoNames() throws {
    let list = try jsonLines(
      """
      {"key":"a:\\"b\\":\\\\","labels":[":","\\"key\\":"],"text":"{\\"key\\":\\"c\\"}","part" : 1}
      """)
    try store.importVectors(array([[1, 0, 0]]), records: list)
    let record = try #require(try store.record(for: "a:\"b\":\\", part: 1))
    #expect(record.labels == [":", "\"key\":"] && record.text == "{\"key\":\"c\"}")
  }

  @Test func aLineThatIsNotUTF8IsNamed() throws {
    let url = directory.url.appending(path: "records.jsonl")
    let utf16 = try #require("{\"key\":\"a\"}".data(using: .utf16LittleEndian))
    for line in [Data("{\"key\":\"".utf8) + [0xff] + Data("\"}".utf8), utf16] {
      try line.write(to: url)
      expectError(.malformedFile, naming: "Line 1", "records.jsonl") {
        try store.importVectors(try array([[1, 0, 0]]), records: .jsonLines(url))
      }
    }
  }

  @Test func recordsBeyondTheLimitsAreRefused() throws {
    for line in [
      "{\"key\":\"\"}", "{\"key\":\"a\",\"labels\":[\"\"]}",
      "{\"key\":\"a\",\"timestamp\":-9223372036854775808}",
    ] {
      #expect(throws: StoreError.self) {
        try store.importVectors(try array([[1, 0, 0]]), records: try jsonLines(line))
      }
    }
    #expect(try store.count() == 0)
  }

  @Test func partsAreNoDuplicates() throws {
    let list = try jsonLines("{\"key\":\"a\"}\n{\"key\":\"a\",\"part\":1}")
    try store.importVectors(array([[1, 0, 0], [0, 1, 0]]), records: list)
    #expect(try store.records(for: "a").count == 2)
    let twice = try jsonLines("{\"key\":\"a\",\"part\":1}\n{\"key\":\"a\",\"part\":1}")
    expectError(.duplicateKey, naming: "Rows 0 and 1", "\"a\"") {
      try store.importVectors(try array([[1, 0, 0], [0, 1, 0]]), records: twice)
    }
  }

  // Strings that Swift calls equal are two keys.
  @Test func composedAndDecomposedKeysAreTwo() throws {
    try store.importVectors(array([[1, 0, 0], [0, 1, 0]]), records: keys("\u{e9}\ne\u{301}"))
    #expect(try store.count() == 2)
  }

  @Test func anotherDimensionIsRefused() throws {
    expectError(.wrongDimension, naming: "array.npy") {
      try store.importVectors(try array([[1, 0]]), records: .rowNumbers)
    }
  }

  @Test func progressCountsUp() throws {
    let vectors = try array([[Float]](repeating: [1, 2, 3], count: 3_000))
    var seen: [ImportProgress] = []
    try store.importVectors(vectors, records: .rowNumbers) { seen.append($0) }
    #expect(seen.map(\.checkedRowCount) == [1_024, 2_048, 3_000, 3_000, 3_000, 3_000])
    #expect(seen.map(\.storedRowCount) == [0, 0, 0, 1_024, 2_048, 3_000])
    #expect(seen.allSatisfy { $0.totalRowCount == 3_000 })
  }

  @Test func cancellingKeepsWholeBatches() async throws {
    let vectors = try array([[Float]](repeating: [1, 2, 3], count: 3_000))
    let store = store
    let task = Task {
      try await store.importVectors(vectors, records: .rowNumbers) { progress in
        if progress.storedRowCount == 1_024 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: StoreError.self) { try await task.value }
    #expect(try store.count() == 1_024)
  }

  @Test func aFullVolumeKeepsWholeBatches() throws {
    let faults = FaultyFileSystem(MemoryFileSystem())
    let store = try EmbeddingStore(
      faults, path: "/store", space: store.space, isReadOnly: false, StoreConfiguration())
    let vectors = try array([[Float]](repeating: [1, 2, 3], count: 3_000))
    faults.setFaults(.noSpace(.write, number: 2, isSticky: true))
    expectError(.noSpace) { try store.importVectors(vectors, records: .rowNumbers) }
    #expect(try store.count() == 1_024)
    faults.setFaults()
    #expect(try store.importVectors(vectors, records: .rowNumbers) == 3_000)
    #expect(try store.count() == 3_000)
  }

  @Test func linesAreReadWhereverAChunkEnds() throws {
    let lines = ["", "a", "bb", String(repeating: "c", count: 40), "", "d"]
    let url = try write(lines.joined(separator: "\n"), "lines.txt")
    for chunk in 1...50 {
      let file = try POSIXFileSystem().open(url.path, .read)
      var reader = LineReader(file, chunkByteCount: chunk)
      var read: [String] = []
      while let line = try reader.next() { read.append(String(decoding: line, as: UTF8.self)) }
      #expect(read == lines)
    }
  }
}
