internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import EmbeddingTextSearch

/// Writes to a store and follows it with a text index, which is then compared with the records.
struct FollowedWords: KilledWork {
  let command = "script-and-follow"
  let fileCount = 5
  let moments =
    [
      KilledWorkMoment(line: "opening", window: 30_000),
      KilledWorkMoment(line: "compacting", window: 10_000),
      KilledWorkMoment(line: "open", window: 60_000),
    ] + [KilledWorkMoment](repeating: KilledWorkMoment(line: "following", window: 30_000), count: 5)

  func problems(
    of store: EmbeddingStore, _ model: StoreModel, using generator: inout SeededGenerator
  ) throws -> [String] {
    let index = try TextIndex(of: store)
    var problems: [String] = []
    // First as a search finds it, then every row and page.
    for word in Self.words(of: model, using: &generator) {
      let expected = model.records.filter { Self.words(of: $0.value).contains(word) }
      // With a vector that every record matches.
      let found = try index.search(
        HybridQuery(
          .vector([Float](repeating: 1, count: store.space.dimension)), words: WordQuery(word),
          count: .max, grouping: .everyPart))
      let all = Set(found.map { StoreModel.Identity($0.key, $0.part) })
      let withWord = Set(
        found.filter { $0.words != nil }.map { StoreModel.Identity($0.key, $0.part) })
      if all != Set(model.records.keys) || found.contains(where: { $0.vector == nil }) {
        problems.append("by vector, \(all.count) of \(model.count) records are found")
      }
      if withWord != Set(expected.keys) {
        problems.append("\"\(word)\" finds \(withWord.count) records, not \(expected.count)")
      }
    }
    if try !index.isIntact() { problems.append("the text index is not intact") }
    return problems
  }

  /// Words that many records have, that some have, and that none has any more.
  private static func words(
    of model: StoreModel, using generator: inout SeededGenerator
  ) -> [String] {
    let newest =
      model.records.values.compactMap { $0.text?.split(separator: " ").last }
      .compactMap { Int($0) }.max() ?? 0
    let numbers = [newest, newest - 1, Int.random(in: 0...newest, using: &generator)]
    return ["put", "updated", "by"] + numbers.map { "\(max(0, $0))" }
  }

  private static func words(of record: Record) -> Set<String> {
    Set((record.text ?? "").split(separator: " ").map(String.init)).union(record.labels)
  }
}
