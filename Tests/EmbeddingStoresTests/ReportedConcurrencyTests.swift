import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Bugs that users reported of other vector stores, about several threads at once. Each test names
/// its report; the thread sanitizer runs them too.
@Suite struct ReportedConcurrencyTests {
  /// Runs `body` on a thread of its own for each number, and reports what it throws.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
    DispatchQueue.concurrentPerform(iterations: count) { number in
      do {
        try body(number)
      } catch {
        Issue.record("thread \(number): \(error)")
      }
    }
  }

  // USearch #735: vectors that were added on several threads were there and could not be found.
  // USearch #641: the first add to a new index crashed where nothing had been reserved.
  @Test func whatManyThreadsPutAtOnceIsAllFound() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    onThreads(10) { thread in
      for number in thread * 100..<thread * 100 + 100 {
        try store.put(numberedRecords(number..<number + 1))
      }
    }
    for store in [store, try EmbeddingStore(readingAt: directory.store())] {
      #expect(try Set(store.keys()) == Set((0..<1_000).map { "k\($0)" }))
      for number in 0..<1_000 {
        let vector = RandomVectors.vector(number: number, dimension: 8)
        #expect(try store.search(for: vector, count: 1).first?.key == "k\(number)")
      }
    }
  }

  // USearch #678: a key was overwritten while another thread read it.
  @Test func aKeyThatIsReplacedIsReadAsOneOfItsValues() throws {
    let store = try EmbeddingStore(inMemory: .exact)
    @Sendable func record(_ version: Int) -> Record {
      Record(
        key: "k", vector: [Float](repeating: Float(version % 100 + 1), count: 8),
        metadata: Data(repeating: UInt8(version % 100), count: 50), text: "\(version % 100)")
    }
    try store.put(record(0))
    onThreads(4) { thread in
      for version in 0..<300 {
        if thread == 0 {
          try store.put(record(version))
          if version % 50 == 49 { try store.compact() }
          continue
        }
        let found = try #require(try store.record(for: "k"))
        let number = try #require(Int(found.text ?? ""))
        #expect(found.vector == record(number).vector)
        #expect(found.metadata == record(number).metadata)
        let match = try #require(
          try store.search(for: [Float](repeating: 1, count: 8), count: 9).first)
        #expect((1...100).contains(match.score / 8))
      }
    }
    #expect(try store.count() == 1)
  }

  // lancedb #1491: after adding, deleting and compacting at once a file was too small.
  @Test func addingRemovingAndCompactingAtOnceLeavesAWholeStore() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small, configuration: .manual)
    onThreads(4) { thread in
      for round in 0..<40 {
        let first = thread * 1_000 + round * 5
        switch thread {
        case 3:
          do {
            try store.compact()
          } catch let error as StoreError where error.code == .compactionInProgress {}
          _ = try store.search(for: axisVector(round), count: 100)
        default:
          try store.put(numberedRecords(first..<first + 5))
          try store.remove(["k\(first)", "k\(first + 1)"])
        }
      }
    }
    let expected = Set(
      (0..<3).flatMap { thread in
        (0..<200).filter { $0 % 5 > 1 }.map { "k\(thread * 1_000 + $0)" }
      })
    #expect(try Set(store.keys()) == expected)
    #expect(try store.verify().isIntact)
    try store.close()
    let reader = try EmbeddingStore(readingAt: directory.store())
    #expect(try Set(reader.keys()) == expected)
    #expect(try reader.verify().isIntact)
  }
}
