import Testing

@testable import EmbeddingFiles

/// Main files in memory, to open whole, damaged or forged.
enum TestMainFile {
  /// The kinds of section in it: no codes, of which this module knows nothing.
  static let sectionKinds = SectionKind.allCases.filter { $0.rawValue < 32 }

  static let space = SpaceDescription(
    model: "model", revision: "1", dimension: 3, isNormalized: true)

  static let records: [RecordDetails] = [
    RecordDetails(
      key: "a", part: 0, timestamp: 5, labels: ["x", "y"], metadata: [1, 2], text: "t"),
    RecordDetails(key: "a", part: 1, labels: ["y"], metadata: []),
    RecordDetails(key: "b", text: String(repeating: "words ", count: 100)),
    RecordDetails(key: "\u{e9}", timestamp: -1, labels: ["\u{e9}", "e\u{301}"]),
    RecordDetails(key: "e\u{301}", metadata: [9], text: "", revision: .max),
  ]

  static func row(_ index: Int) -> [UInt8] {
    // 1.0, 0.5 and the row's number, far from the exponents of infinity.
    [0x00, 0x3c, 0x00, 0x38, UInt8(truncatingIfNeeded: index), 0x30]
  }

  /// The file that a compaction of `records` writes.
  static func bytes(_ records: [RecordDetails] = records) throws -> TestBytes {
    let fileSystem = MemoryFileSystem()
    let options = StoreFilesOptions(space: space) { _ in 1 }
    let store = try StoreFiles(fileSystem, path: "/store", options: options)
    if !records.isEmpty {
      let rows = records.indices.flatMap(row)
      _ = try rows.withRawSpan { (span) throws(StorageError) in
        try store.commit(rows: span, rowStride: 6, level: nil) { _ in records.map(Change.put) }
      }
      _ = try store.compact { _, _ in }
    }
    let file = try fileSystem.open("/store/main-\(records.isEmpty ? 1 : 2)", .read)
    return TestBytes(try file.read(at: 0, byteCount: Int(file.attributes().byteCount)))
  }

  static func open(_ bytes: TestBytes) throws(StorageError) -> MainFile {
    let fileSystem = MemoryFileSystem()
    let file = try fileSystem.open("/main", .create)
    try bytes.bytes.withRawSpan { (span) throws(StorageError) in try file.write(span, at: 0) }
    return try MainFile(fileSystem, path: "/main", mode: .heap)
  }

  /// Why the file can not be opened; nil when it can.
  static func openingCode(_ bytes: TestBytes) -> StorageError.Code? {
    errorCode { () throws(StorageError) in _ = try open(bytes) }
  }

  /// Why the file can not be opened, or what is wrong in it; nil when it is whole. Touches all
  /// that a reader touches.
  static func code(_ bytes: TestBytes) -> StorageError.Code? {
    var problem: StorageError.Code?
    let opening = errorCode { () throws(StorageError) in
      let main = try open(bytes)
      problem = main.problems().first?.code
      for row in 0..<min(main.rowCount, 10) {
        _ = errorCode { () throws(StorageError) in _ = try main.details(of: row) }
        _ = errorCode { () throws(StorageError) in
          _ = try main.rows(withKey: "a", hash: KeyHash.hash("a"))
        }
        _ = errorCode { () throws(StorageError) in
          var rows = RowBitmap(rowCount: main.rowCount)
          try main.insertRows(labelled: [true, false], into: &rows)
        }
        _ = errorCode { () throws(StorageError) in
          try main.withRows(row..<row + 1) { (_) throws(StorageError) in }
        }
      }
    }
    return opening ?? problem
  }
}

extension TestBytes {
  /// Where the header of a main file lists a section.
  func sectionEntry(_ kind: SectionKind) throws -> Int {
    let count = Int(value(at: 52, as: UInt32.self))
    return try #require(
      (0..<count).map { MainHeader.sectionsOffset + 32 * $0 }.first {
        value(at: $0, as: UInt32.self) == kind.rawValue
      })
  }

  func sectionOffset(_ kind: SectionKind) throws -> Int {
    Int(value(at: try sectionEntry(kind) + 8, as: UInt64.self))
  }
}
