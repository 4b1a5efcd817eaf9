import EmbeddingStores
import Foundation
import Testing

@Test func smoke() throws {
  let dir = FileManager.default.temporaryDirectory.appending(
    path: "smoke-\(UInt64.random(in: 0...UInt64.max))")
  defer { try? FileManager.default.removeItem(at: dir) }
  let space = EmbeddingSpace(model: "m", dimension: 8)
  for round in 0..<3 {
    let store = try EmbeddingStore(at: dir, space: space)
    for i in 0..<50 {
      var v = [Float](repeating: 0.1, count: 8); v[i % 8] = Float(i + 1)
      try store.put(
        Record(
          key: "k\(round)-\(i)", vector: v, timestamp: Date(), labels: ["a", "l\(i)"],
          metadata: Data([1, 2, 3]), text: "hello \(i)"))
    }
    #expect(try store.count() == 50 * (round + 1))
    try store.compact()
    #expect(try store.count() == 50 * (round + 1))
    try store.remove(["k\(round)-0"]);
    try store.put(Record(key: "k\(round)-0", vector: [1, 0, 0, 0, 0, 0, 0, 0]))
    let m = try store.search(
      for: [1, 0, 0, 0, 0, 0, 0, 0], count: 3, filter: Filter(labels: [.any(["l8"])]))
    print(m)
    let report = try store.verify()
    #expect(report.isIntact, "\(report)")
    if round == 1 { try store.close() }
  }
}
