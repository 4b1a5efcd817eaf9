import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Feature bits of a later library, in files whose checksums hold: what may not be read is refused,
/// what may not be written is only read, and what anyone may ignore is ignored.
@Suite struct UnknownFeatureTests {
  enum Place: CaseIterable, Sendable {
    case manifest, mainFile
  }

  let directory: TemporaryDirectory
  let url: URL

  init() throws {
    directory = try TemporaryDirectory()
    url = directory.store()
    let store = try EmbeddingStore(at: url, space: .small)
    try store.put(numberedRecords(0..<20))
    try store.compact()
    try store.close()
  }

  @Test(arguments: Place.allCases, [UInt32(1), 1 << 31])
  func anIncompatibleBitIsRefusedAsUnsupported(place: Place, bit: UInt32) throws {
    try setFeatures(in: place) { $0.incompatible = bit }
    let before = try DirectoryImage(url)
    expectError(.unsupportedFormat, naming: String(bit, radix: 2), "Update the library") {
      _ = try EmbeddingStore(readingAt: url)
    }
    expectError(.unsupportedFormat) { _ = try EmbeddingStore(at: url, space: .small) }
    var salvaging = StoreConfiguration()
    salvaging.recovery = .salvage
    expectError(.unsupportedFormat) {
      _ = try EmbeddingStore(at: url, space: .small, configuration: salvaging)
    }
    #expect(try DirectoryImage(url) == before)
  }

  @Test(arguments: Place.allCases, [UInt32(1), 1 << 31])
  func aReadOnlyCompatibleBitAllowsReadingAndRefusesEveryChange(place: Place, bit: UInt32) throws {
    try setFeatures(in: place) { $0.readOnlyCompatible = bit }
    let before = try DirectoryImage(url)
    let reader = try EmbeddingStore(readingAt: url)
    #expect(try reader.search(for: axisVector(0), count: 100).count == 20)
    #expect(try reader.verify().isIntact)
    do {
      let store = try EmbeddingStore(at: url, space: .small)
      #expect(try store.count() == 20)
      let changes: [() throws -> Void] = [
        { try store.put(numberedRecords(0..<1)) }, { try store.remove(["k1"]) },
        { try store.update([RecordUpdate(key: "k1", text: .set("new"))]) },
        { try store.removeAll() }, { try store.compact() },
      ]
      for change in changes {
        expectError(.unsupportedFormat, naming: String(bit, radix: 2)) { try change() }
      }
      #expect(try store.count() == 20)
    }
    #expect(try DirectoryImage(url) == before)
  }

  @Test(arguments: Place.allCases, [UInt32(1), 1 << 31])
  func aCompatibleBitIsIgnored(place: Place, bit: UInt32) throws {
    try setFeatures(in: place) { $0.compatible = bit }
    #expect(try EmbeddingStore(readingAt: url).count() == 20)
    let store = try EmbeddingStore(at: url, space: .small)
    try store.put(numberedRecords(20..<25))
    try store.compact()
    #expect(try store.count() == 25)
    #expect(try store.verify().isIntact)
  }

  /// Writes the files as a later library would have, with every checksum that depends on it.
  private func setFeatures(in place: Place, _ change: (inout FeatureBits) -> Void) throws {
    let mainURL = try url.file(startingWith: "main-")
    let journalURL = try url.file(startingWith: "journal-")
    var mainBytes = [UInt8](try Data(contentsOf: mainURL))
    let journalBytes = [UInt8](try Data(contentsOf: journalURL))
    var manifest = try [UInt8](try Data(contentsOf: url.appending(path: "MANIFEST"))).withRawSpan {
      try Manifest($0, path: "MANIFEST")
    }
    var header = try mainBytes.withRawSpan {
      try MainHeader($0, fileByteCount: UInt64($0.byteCount), path: "main")
    }
    var journal = try journalBytes.withRawSpan { try JournalHeader($0, path: "journal") }
    #expect(journalBytes.count == JournalHeader.byteCount, "an entry would hang on the header")
    switch place {
    case .manifest: change(&manifest.features)
    case .mainFile: change(&header.features)
    }
    let encoded = header.encoded()
    mainBytes.replaceSubrange(0..<encoded.count, with: encoded)
    let checksum = encoded.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    manifest.mainHeaderChecksum = checksum
    journal.mainHeaderChecksum = checksum
    try Data(mainBytes).write(to: mainURL)
    try Data(journal.encoded()).write(to: journalURL)
    try Data(manifest.encoded()).write(to: url.appending(path: "MANIFEST"))
  }
}
