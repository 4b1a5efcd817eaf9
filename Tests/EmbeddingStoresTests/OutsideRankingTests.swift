import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Rows that come with a score of somebody else's, by their change numbers, against a sorted list.
@Suite struct OutsideRankingTests {
  @Test func ranksLikeASortedListInWhateverOrderTheEntriesCome() throws {
    var generator = SeededGenerator("OutsideRankingTests", seed: 3)
    for round in 0..<60 {
      let store = try makeStore(round, using: &generator)
      let snapshot = try store.snapshot()
      let rows = try snapshot.rows(changedSince: 0)
      var entries: [OutsideRanking.Entry] = []
      // Also numbers of rows that are gone, and of none.
      for number in 0...snapshot.changeNumber + 3 where Int.random(in: 0..<4, using: &generator) > 0
      {
        entries.append(
          OutsideRanking.Entry(
            number: number, score: Double(Int.random(in: 0..<5, using: &generator))))
      }
      if round % 3 == 1 { entries.reverse() }
      if round % 3 == 2 { entries.shuffle(using: &generator) }
      var filter = Filter()
      if round % 2 == 1 { filter.labels = [.any(["rare"])] }
      let ranking = try OutsideRanking(
        of: snapshot, finder: RowFinder(for: snapshot), filter: filter, grouping: .everyPart)
      let allowed = try rows.filter { row in
        try round % 2 == 0 || snapshot.record(for: row.key, part: row.part)?.labels == ["rare"]
      }
      let expected = allowed.compactMap { row in
        entries.first { $0.number == row.changeNumber }.map { (row: row, score: $0.score) }
      }.sorted { first, second in
        first.score == second.score
          ? (first.row.key, first.row.part) < (second.row.key, second.row.part)
          : first.score > second.score
      }
      for count in [1, 5, 1_000] {
        let found = try ranking.best(count, of: entries)
        #expect(found.map(\.key) == expected.prefix(count).map(\.row.key), "round \(round)")
        #expect(found.map(\.part) == expected.prefix(count).map(\.row.part), "round \(round)")
        #expect(found.map(\.score) == expected.prefix(count).map(\.score), "round \(round)")
      }
      if let admits = ranking.makeAdmission() {
        let numbers = Set(allowed.map(\.changeNumber))
        #expect(entries.allSatisfy { admits($0.number) == numbers.contains($0.number) })
      } else {
        #expect(2 * allowed.count >= rows.count - 1, "round \(round)")
      }
    }
  }

  /// Rows in the main file, in the order of their numbers or not, and in the journal.
  private func makeStore(
    _ round: Int, using generator: inout SeededGenerator
  ) throws -> EmbeddingStore {
    let store = try EmbeddingStore(inMemory: .small)
    for step in 0..<Int.random(in: 1...5, using: &generator) {
      let records = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
        let number = Int.random(in: 0..<60, using: &generator)
        return Record(
          key: "k\(number)", vector: axisVector(number),
          part: UInt16.random(in: 0..<2, using: &generator),
          labels: Int.random(in: 0..<4, using: &generator) == 0 ? ["rare"] : [])
      }
      try store.put(records)
      if let key = try store.keys().randomElement(using: &generator) {
        try store.update([RecordUpdate(key: key, part: try part(of: key, store), text: .set("x"))])
        if Bool.random(using: &generator) { try store.remove([key]) }
      }
      if (round + step) % 3 == 0 { try store.compact() }
    }
    return store
  }

  private func part(of key: String, _ store: EmbeddingStore) throws -> UInt16 {
    try store.records(for: key).first?.part ?? 0
  }
}
