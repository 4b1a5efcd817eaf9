import EmbeddingExchange
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Arrays that NumPy wrote, and NumPy's reading of ours.
@Suite(.enabled(if: PythonNumPy.isAvailable, "NumPy can not be installed here."))
struct NumPyReferenceTests {
  @Test func arraysOfEveryTypeAndVersionAreReadExactly() throws {
    let directory = try TemporaryDirectory()
    let folder = directory.url.appending(path: "arrays")
    var generator = SeededGenerator("NumPy arrays", seed: .random(in: .min ... .max))
    try PythonNumPy.run("write", folder.path, "\(generator.next() >> 1)")
    var count = 0
    for url in try arrays(in: folder) {
      let file = try VectorFile(npy: url)
      let name = url.deletingPathExtension().lastPathComponent.split(separator: "-")
      #expect(file.elementFormat.byteCount == Int(name[0].dropFirst()))
      #expect("\(file.rowCount)" == name[2] && "\(file.dimension)" == name[3])
      let expected = try Data(contentsOf: url.deletingPathExtension().appendingPathExtension("raw"))
      #expect(bytes(try file.vectors(0..<file.rowCount)) == expected, "\(url.lastPathComponent)")
      count += 1
    }
    #expect(count == 54)
  }

  @Test func arraysOfAnythingElseAreRefused() throws {
    let directory = try TemporaryDirectory()
    let folder = directory.url.appending(path: "arrays")
    try PythonNumPy.run("write", folder.path, "1")
    let refused = try arrays(in: folder.appending(path: "refused"))
    #expect(refused.count == 14)
    for url in refused {
      expectError(.unsupportedElements, naming: url.lastPathComponent) {
        _ = try VectorFile(npy: url)
      }
    }
  }

  @Test func pythonsOwnListOfRecordsIsRead() throws {
    let directory = try TemporaryDirectory()
    try PythonNumPy.run("records", directory.url.path)
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "test", dimension: 3))
    try store.importVectors(
      VectorFile(npy: directory.url.appending(path: "vectors.npy")),
      records: .jsonLines(directory.url.appending(path: "records.jsonl")))
    #expect(Set(try store.keys()) == ["plain", "é 🐶 \u{1}\n", "\"quoted\""])
    let record = try #require(try store.record(for: "é 🐶 \u{1}\n"))
    #expect(
      record.labels == ["ß", "b"] && record.text == "\u{2028}" && record.vector == [0, 1, 0])
    #expect(record.timestamp == Date(timeIntervalSince1970: 1_700_000_000.5))
    #expect(record.metadata == Data([0, 255]))
  }

  @Test func numPyReadsOurArraysToTheBit() throws {
    let directory = try TemporaryDirectory()
    var generator = SeededGenerator("our arrays", seed: .random(in: .min ... .max))
    for (rowCount, dimension) in [(0, 3), (1, 1), (5, 7), (700, 24)] {
      let space = EmbeddingSpace(model: "test", dimension: dimension)
      let store = try EmbeddingStore(inMemory: space)
      try store.put(
        RandomVectors.uniform(rowCount, dimension: dimension, using: &generator).enumerated().map {
          Record(key: "\($0)", vector: $1)
        })
      if rowCount == 5 { try store.compact() }
      for format in ElementFormat.allCases {
        let name = directory.url.appending(path: "\(format)-\(rowCount)")
        let records = name.appendingPathExtension("jsonl")
        try store.exportVectors(
          toNumPy: name.appendingPathExtension("npy"), records: records, as: format)
        let rows = try keys(in: records).map { try #require(try store.vector(for: $0)) }
        try elements(rows, format).write(to: name.appendingPathExtension("raw"))
      }
    }
    let printed = try PythonNumPy.run("check", directory.url.path).split(separator: "\n")
    #expect(printed.count == 12)
    let lines = ["float16-0 float16 0 3", "float32-5 float32 5 7", "float64-700 float64 700 24"]
    for line in lines {
      #expect(printed.contains(Substring(line)))
    }
  }

  private func arrays(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".npy") }.map { folder.appending(path: $0) }
  }

  private func keys(in records: URL) throws -> [String] {
    try String(contentsOf: records, encoding: .utf8).split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(object?["key"] as? String)
    }
  }

  private func bytes(_ vectors: [[Float]]) -> Data {
    elements(vectors, .float32)
  }

  private func elements(_ vectors: [[Float]], _ format: ElementFormat) -> Data {
    var data = Data()
    for component in vectors.joined() {
      switch format {
      case .float16: append(halfBits(component), to: &data)
      case .float32: append(component.bitPattern, to: &data)
      case .float64: append(Double(component).bitPattern, to: &data)
      }
    }
    return data
  }

  private func append(_ value: some FixedWidthInteger, to data: inout Data) {
    withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
  }

  /// The bits of a number that Float16 holds exactly.
  private func halfBits(_ value: Float) -> UInt16 {
    let sign: UInt16 = value.sign == .minus ? 0x8000 : 0
    let magnitude = abs(value)
    if magnitude < 0x1p-14 { return sign | UInt16(magnitude * 0x1p24) }
    let fraction = UInt16((magnitude.significand - 1) * 1_024)
    return sign | UInt16(magnitude.exponent + 15) << 10 | fraction
  }
}
