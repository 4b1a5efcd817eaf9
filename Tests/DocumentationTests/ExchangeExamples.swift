import EmbeddingExchange
import EmbeddingStores
import Foundation
import Testing

/// The examples of Docs/Exchange.md.
@Suite struct ExchangeExamples {
  private let folder: URL

  init() throws {
    folder = URL.temporaryDirectory.appending(path: "exchange-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  @Test func vectorsGoInAndOut() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let space = EmbeddingSpace(model: "MobileCLIP-S1", revision: "1.0.0", dimension: 2)
    let store = try EmbeddingStore(inMemory: space)
    let array = folder.appending(path: "vectors.npy")
    let records = folder.appending(path: "records.jsonl")
    let text = "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 2), }"
    let header = text + String(repeating: " ", count: 117 - text.utf8.count) + "\n"
    // 1, 0, 0 and -1 in Float16.
    try
      (Data([0x93] + Array("NUMPY".utf8) + [1, 0, 118, 0]) + Data(header.utf8)
      + Data([0x00, 0x3c, 0, 0, 0, 0, 0x00, 0xbc])).write(to: array)
    try Data("{\"key\": \"a\", \"labels\": [\"beach\"]}\n{\"key\": \"b\"}\n".utf8).write(
      to: records)

    let embeddings = try VectorFile(npy: array)
    try store.importVectors(embeddings, records: .jsonLines(records))

    #expect(try store.vector(for: "b") == [0, -1])
    #expect(try store.record(for: "a")?.labels == ["beach"])
    let copy = folder.appending(path: "copy.npy")
    let copyRecords = folder.appending(path: "copy.jsonl")

    try store.exportVectors(toNumPy: copy, records: copyRecords, as: .float16)

    #expect(try Data(contentsOf: copy) == Data(contentsOf: array))
  }

  @Test func aStoreBecomesOneFile() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "m", dimension: 2))
    try store.put(Record(key: "a", vector: [1, 0]))
    let archive = folder.appending(path: "photos.archive")
    let restored = folder.appending(path: "photos.embeddings")

    try store.archive(to: archive)
    try EmbeddingStore.restore(archive, to: restored)

    #expect(try EmbeddingStore(readingAt: restored).keys() == ["a"])
  }

  @Test func legacyFilesAreTaken() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let documents = folder
    let store = try EmbeddingStore(inMemory: EmbeddingSpace(model: "m", dimension: 2))
    try Data([1, 0, 0x61, 0, 0, 0x80, 0x3f, 0, 0, 0, 0])
      .write(to: documents.appending(path: "imageEmbedding_journal.qemb"))

    let report = try store.importLegacyFiles(LegacyFiles(in: documents))
    print(report.importedCount, report.leftovers.count, report.damages.count)

    #expect(report.importedCount == 1 && report.isComplete)
    #expect(try store.vector(for: "a") == [1, 0])
  }
}
