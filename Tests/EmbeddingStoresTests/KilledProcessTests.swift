import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// A process that is killed loses nothing that it was told was committed.
@Suite struct KilledProcessTests {
  static let space = EmbeddingSpace(model: "worker", dimension: 8)

  // A1, A19 of the bug log (zvec #594, qmd #445) and the promise of `processKill`. One kill in ten
  // comes while the store is being opened or created.
  @Test(arguments: ["append", "append-and-compact"])
  func everyAcknowledgedCommitSurvivesAKill(command: String) throws {
    var generator = SeededGenerator("everyAcknowledgedCommitSurvivesAKill(\(command))", seed: 9_001)
    let directory = try TemporaryDirectory()
    var commitCount = 0
    for round in 0..<15 {
      let worker = try Worker([command, directory.store().path])
      #expect(worker.readLine() == "starting")
      var acknowledged = commitCount - 1
      if round % 10 != 9, let line = worker.readLine() { acknowledged = try #require(Int(line)) }
      usleep(UInt32.random(in: 0..<60_000, using: &generator))
      worker.kill()
      while let line = worker.readLine() { acknowledged = try #require(Int(line)) }
      commitCount = try check(directory.store(), acknowledged: acknowledged, round: round)
    }
    #expect(commitCount >= 14)
    try expectWhole(directory.store())
  }

  /// Commits 0 to n are there, whole and in order; n is the one acknowledged last, or the next one
  /// when the kill came between the commit and its acknowledgement.
  private func check(_ url: URL, acknowledged: Int, round: Int) throws -> Int {
    guard FileManager.default.fileExists(atPath: url.appending(path: "MANIFEST").path) else {
      #expect(acknowledged == -1)
      return 0
    }
    let store = try EmbeddingStore(readingAt: url)
    let rowCount = try store.count()
    let commitCount = max(rowCount - 1, 0)
    #expect(commitCount == acknowledged + 1 || commitCount == acknowledged + 2, "round \(round)")
    #expect(try store.missing(from: (0..<commitCount).map(String.init)) == [])
    if commitCount > 0 {
      #expect(try store.record(for: "latest")?.text == "\(commitCount - 1)")
      let last = try #require(try store.record(for: "\(commitCount - 1)"))
      #expect(last.text == "\(commitCount - 1)")
      let vector = RandomVectors.vector(number: commitCount - 1, dimension: 8)
      #expect(StoreModel.cosine(last.vector, vector) > 0.999)
    }
    return commitCount
  }

  private func expectWhole(_ url: URL) throws {
    let store = try EmbeddingStore(at: url, space: Self.space)
    let count = try store.count()
    #expect(try store.verify().isIntact)
    for number in 0..<count - 1 {
      #expect(try store.record(for: "\(number)")?.text == "\(number)")
    }
    try store.compact()
    #expect(try store.count() == count)
    // Nothing that the kills left lies about.
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
    #expect(names.count == 4, "\(names)")
  }

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
