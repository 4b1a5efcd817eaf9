import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Metadata and text that are there but empty are not the same as none.
@Suite struct EmptyDetailsTests {
  // Found by these tests: when all details of a store were empty, a compaction wrote a main file
  // whose rows referred to a block that it had not, so that they could not be read any more.
  @Test(
    arguments: [
      (Data(), nil), (nil, ""), (Data(), ""), (nil, nil), (Data([1]), ""), (Data(), "t"),
    ] as [(Data?, String?)])
  func emptyDetailsSurviveCompaction(metadata: Data?, text: String?) throws {
    let store = try EmbeddingStore(inMemory: .small)
    let record = Record(key: "k", vector: axisVector(0), metadata: metadata, text: text)
    try store.put(record)
    try store.compact()
    let found = try store.record(for: "k")
    #expect(found?.metadata == metadata)
    #expect(found?.text == text)
    #expect(try store.verify().isIntact)
    try store.put(Record(key: "other", vector: axisVector(1)))
    try store.compact()
    #expect(try store.record(for: "k") == found)
  }

  @Test func emptyDetailsAmongOthersAreKept() throws {
    let store = try EmbeddingStore(inMemory: .small)
    let details: [(Data?, String?)] = [
      (Data(), nil), (nil, ""), (Data(repeating: 7, count: 70_000), "t"), (Data(), ""), (nil, nil),
      (nil, String(repeating: "x", count: 65_536)), (Data(), nil),
    ]
    for (number, (metadata, text)) in details.enumerated() {
      try store.put(
        Record(key: "\(number)", vector: axisVector(number), metadata: metadata, text: text))
    }
    for _ in 0..<3 {
      for (number, (metadata, text)) in details.enumerated() {
        let found = try #require(try store.record(for: "\(number)"))
        #expect(found.metadata == metadata)
        #expect(found.text == text)
      }
      #expect(try store.verify().isIntact)
      try store.compact()
      try store.put(Record(key: "other", vector: axisVector(0)))
    }
  }
}
