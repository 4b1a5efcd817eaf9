import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingTextSearch

#if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
  @Suite struct KilledIndexTests {
    /// A process that writes, updates, removes, compacts and searches is killed at a random moment; text
    /// and vectors agree when the store is opened again. `EMBEDDING_TEST_KILLS` sets how often.
    @Test func textAndVectorsAgreeAfterAKillAtAnyMoment() async throws {
      var generator = SeededGenerator("KilledIndexTests", seed: 5)
      let count = ProcessInfo.processInfo.environment["EMBEDDING_TEST_KILLS"].flatMap { Int($0) }
      let directory = try TemporaryDirectory()
      let url = directory.store()
      _ = try EmbeddingStore(at: url, space: WordBench.space)
      for round in 0..<(count ?? 12) {
        let path = url.path(percentEncoded: false)
        let seed = generator.next()
        let delay = Double.random(in: 0...0.15, using: &generator)
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [path = path as String, seed = seed as UInt64, delay = delay as Double] in
          try KilledIndexTests.work(path, seed, delay)
        }
        let store = try EmbeddingStore(at: url, space: WordBench.space)
        let index = try TextIndex(of: store)
        // First as a search finds it, then every row and page.
        for word in ["w0", "w3", "w7"] {
          var expected: [String] = []
          for row in try store.rows(changedSince: 0) {
            let text = try store.record(for: row.key)?.text ?? ""
            if text.split(separator: " ").contains(Substring(word)) { expected.append(row.key) }
          }
          #expect(try index.keys(WordQuery(word)) == expected.sorted(), "round \(round)")
        }
        #expect(try index.isIntact(), "round \(round)")
        // Every other time the next process finds the index as the kill left it.
        if round % 2 == 0 {
          try FileManager.default.removeItem(at: url.appending(path: "text.sqlite"))
        }
      }
    }

    static func work(_ path: String, _ seed: UInt64, _ delay: Double) throws {
      var generator = SeededGenerator(seed: seed)
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: delay)
        kill(getpid(), SIGKILL)
      }
      let store = try EmbeddingStore(at: URL(filePath: path), space: WordBench.space)
      let index = try TextIndex(of: store, batchRowCount: 7)
      while true {
        let keys = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
          "k\(Int.random(in: 0..<300, using: &generator))"
        }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: try store.remove(keys)
        case 1: try store.compact()
        case 2: _ = try index.search(words: "w1", snippetLength: 20)
        case 3: try index.compact()
        default:
          try store.put(
            keys.map { key in
              let words = (0..<6).map { _ in "w\(Int.random(in: 0..<10, using: &generator))" }
              return WordBench.record(key, words.joined(separator: " "))
            })
        }
        if Bool.random(using: &generator) { try index.catchUp() }
      }
    }
  }
#endif
