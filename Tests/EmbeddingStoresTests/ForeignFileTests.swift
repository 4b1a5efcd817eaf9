import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Files of a store replaced by something else: a typed error at opening, and nothing changed.
@Suite struct ForeignFileTests {
  enum Content: String, CaseIterable, Sendable {
    case sqlite, jpeg, gzip, empty, oneByte, zeros, text, directory, fifo, missing
    /// A link to /dev/zero, which never ends; one that leads nowhere; and 2^40 bytes that take no room.
    case device, danglingLink, huge

    /// Whether its bytes can be compared.
    var isReadable: Bool { ![.fifo, .device, .huge].contains(self) }

    var bytes: Data {
      let rest = Data((0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      return switch self {
      case .sqlite: Data("SQLite format 3\0".utf8) + rest
      case .jpeg: Data([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0]) + rest
      case .gzip: Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]) + rest
      case .oneByte: Data([0x89])
      case .zeros: Data(count: 65_536)
      case .text: Data("Not a store at all.\r\n".utf8)
      default: Data()
      }
    }
  }

  let directory: TemporaryDirectory
  let url: URL

  init() throws {
    directory = try TemporaryDirectory()
    url = directory.store()
    let store = try EmbeddingStore(at: url, space: .small)
    try store.put(numberedRecords(0..<20))
    try store.compact()
    try store.put(numberedRecords(20..<25))
    try store.close()
  }

  private func replace(_ prefix: String, by content: Content) throws -> String {
    let file = try url.file(startingWith: prefix)
    try FileManager.default.removeItem(at: file)
    switch content {
    case .missing: break
    case .directory:
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    case .fifo: #expect(mkfifo(file.path, 0o644) == 0)
    case .device:
      try FileManager.default.createSymbolicLink(
        atPath: file.path, withDestinationPath: "/dev/zero")
    case .danglingLink:
      try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "nowhere")
    case .huge:
      try Data().write(to: file)
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: 1 << 40)
      try handle.close()
    default: try content.bytes.write(to: file)
    }
    return file.lastPathComponent
  }

  // Found by these tests: where MANIFEST was a link that led nowhere, an empty store was created over
  // the rows.
  @Test(arguments: ["MANIFEST", "main-", "journal-"], Content.allCases)
  func aForeignFileIsNamedAndNothingChanges(prefix: String, content: Content) throws {
    let name = try replace(prefix, by: content)
    let before = content.isReadable ? try DirectoryImage(url) : nil
    let codes: Set<StoreError.Code> = [
      .notAStore, .corrupt, .journalCorrupt, .notFound, .unsupportedFormat,
    ]
    for isReading in [true, false] {
      let time = ContinuousClock().measure {
        do {
          let store =
            isReading
            ? try EmbeddingStore(readingAt: url) : try EmbeddingStore(at: url, space: .small)
          Issue.record("opened with \(try store.count()) rows")
        } catch {
          let error = error as? StoreError
          #expect(error.map { codes.contains($0.code) } ?? false, "\(String(describing: error))")
          let isNotFound = error?.code == .notFound
          let isGone = content == .missing || content == .danglingLink
          #expect(!isNotFound || (prefix == "MANIFEST" && isGone && isReading))
          let isNamed = error.map { "\($0)".contains(isNotFound ? "store" : name) } ?? false
          #expect(isNamed, "\(String(describing: error))")
        }
      }
      #expect(time < .seconds(10))
    }
    if let before { #expect(try DirectoryImage(url) == before) }
  }

  @Test(arguments: ["MANIFEST", "main-", "journal-"])
  func aLaterFormatVersionIsUnsupportedAndNotDamage(prefix: String) throws {
    let file = try url.file(startingWith: prefix)
    var bytes = try Data(contentsOf: file)
    // All three have the version in bytes 8..<12.
    bytes.replaceSubrange(8..<12, with: [2, 0, 0, 0])
    try bytes.write(to: file)
    let before = try DirectoryImage(url)
    for _ in 0..<2 {
      expectError(.unsupportedFormat, naming: "version 2", file.lastPathComponent) {
        _ = try EmbeddingStore(at: url, space: .small)
      }
      expectError(.unsupportedFormat) { _ = try EmbeddingStore(readingAt: url) }
    }
    #expect(try DirectoryImage(url) == before)
  }

  // qdrant #2953: one damaged collection kept everything from starting.
  @Test func aDamagedStoreDoesNotConcernOthers() throws {
    _ = try replace("main-", by: .jpeg)
    expectError(.corrupt) { _ = try EmbeddingStore(at: url, space: .small) }
    let other = try EmbeddingStore(at: directory.store("other"), space: .small)
    try other.put(numberedRecords(0..<3))
    #expect(try other.count() == 3)
  }

  @Test func aMissingManifestIsDamageWhereRowsAreAndAnInterruptedCreationElsewhere() throws {
    try FileManager.default.removeItem(at: url.appending(path: "MANIFEST"))
    let before = try DirectoryImage(url)
    expectError(.corrupt, naming: "MANIFEST") { _ = try EmbeddingStore(at: url, space: .small) }
    #expect(try DirectoryImage(url) == before)
    let new = directory.store("new")
    do { _ = try EmbeddingStore(at: new, space: .small) }
    try FileManager.default.removeItem(at: new.appending(path: "MANIFEST"))
    let store = try EmbeddingStore(at: new, space: .exact)
    #expect(store.openReport.wasCreated)
    try store.put(numberedRecords(0..<1))
  }
}
