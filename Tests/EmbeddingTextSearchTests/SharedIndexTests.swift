import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingTextSearch

@Suite struct SharedIndexTests {
  /// Two objects stand for two processes: they share the file and nothing else.
  @Test func twoIndexesOfOneFileAgreeWithTheStoreWhileItIsWrittenTo() async throws {
    let bench = try WordBench()
    let store = bench.store
    let indexes = [try TextIndex(of: store), try TextIndex(of: store)]
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 0..<60 {
          try store.put(
            (0..<5).map { WordBench.record("k\(round % 20)-\($0)", "common r\(round)") })
          if round % 7 == 3 { try store.remove(["k\(round % 20)-1"]) }
          if round % 20 == 11 { try store.compact() }
        }
      }
      for index in indexes {
        group.addTask {
          let words = WordQuery("common")
          let expression = try ParsedWords(words).expression(for: words)
          for _ in 0..<40 {
            let (snapshot, ranking, entries) = try index.matches(expression) {
              (snapshot, finder) throws(StoreError) in
              try OutsideRanking(of: snapshot, finder: finder)
            }
            let found = try ranking.best(1_000, of: entries)
            // Every record has the word.
            #expect(found.count == snapshot.count)
          }
        }
        for _ in 0..<2 {
          group.addTask {
            for _ in 0..<15 {
              let found = try index.search(words: "common", count: 500, snippetLength: 30)
              #expect(Set(found.map(\.key)).count == found.count)
              #expect(found.allSatisfy { $0.snippet?.ranges.count == 1 })
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let keys = try store.keys().sorted()
    for index in indexes {
      #expect(try index.keys("common") == keys)
      #expect(try index.isIntact())
    }
  }

  /// What a process that was killed while it took rows in leaves to one that has the index open.
  @Test func whatAnotherProcessLeftUnfinishedIsPutRight() throws {
    let bench = try WordBench(["a": "apple"])
    let index = try TextIndex(of: bench.store)
    #expect(try index.keys("apple") == ["a"])
    let database = try Database(path: bench.file.path, mode: .create)
    let table = try WordTable(database, engine: "fts5")
    #expect(try table.state(for: bench.store.snapshot().storeIdentifier) == .usable)
    try database.transaction {
      try table.add(999, text: "ghost", labels: [])
      try table.setPosition(WordTable.Position(changeNumber: 0, stamp: 1))
    }
    try bench.store.put(WordBench.record("b", "apple"))
    #expect(try index.keys("apple") == ["a", "b"] && index.keys("ghost") == [])
    #expect(try index.isIntact())
    // And one that knows less than the index puts nothing back.
    let number = try bench.store.snapshot().changeNumber
    try database.transaction {
      try table.setPosition(WordTable.Position(changeNumber: number, stamp: 2))
    }
    try bench.store.remove(["a"])
    #expect(try index.keys("apple") == ["b"] && index.isIntact())
  }
}
