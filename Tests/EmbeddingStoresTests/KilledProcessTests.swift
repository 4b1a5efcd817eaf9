import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// A store that ends without being closed loses nothing; the campaign `kills` kills processes.
@Suite struct KilledProcessTests {
  @Test func aStoreThatIsReleasedWithoutClosingKeepsItsCommits() throws {
    let directory = try TemporaryDirectory()
    for round in 0..<5 {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      #expect(try store.count() == round * 10)
      #expect(store.openReport.replayedCommitCount == round * 2)
      #expect(store.openReport.replayedChangeCount == round * 10)
      #expect(store.openReport.unfinishedByteCount == 0)
      #expect(store.openReport.wasCreated == (round == 0))
      try store.put(numberedRecords(round * 10..<round * 10 + 9))
      try store.put(numberedRecords(round * 10 + 9..<round * 10 + 10))
    }
  }

  // zvec #594: rows that were replayed at opening were dropped by the next compaction.
  @Test func replayedRowsSurviveTheNextCompaction() throws {
    let directory = try TemporaryDirectory()
    do {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      try store.put(numberedRecords(0..<150))
    }
    do {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      try store.compact()
      try store.close()
    }
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    #expect(store.openReport.replayedCommitCount == 0)
    #expect(try store.count() == 150)
  }
}
