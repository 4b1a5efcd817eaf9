import EmbeddingStores
import Foundation

/// What an app does with a store, on real data, with every answer checked: put, search, filter,
/// update, remove, compact, open again.
struct StoreJourney {
  let data: DataSet
  let checks: Checks
  let url: URL
  private var expected: ExpectedRecords
  private let judge: AnswerJudge
  private static let updatedLabel = "updated"

  init(_ data: DataSet, _ checks: Checks, url: URL) {
    self.data = data
    self.checks = checks
    self.url = url
    expected = ExpectedRecords(data)
    judge = AnswerJudge(data)
  }

  /// Goes through it once with a new store at `url`.
  mutating func run() throws {
    let store = try EmbeddingStore(at: url, space: data.space)
    try put(store)
    try answerNaturalQueries(store)
    try checkAllAnswers(store)
    Console.progress("Filtering, against double-precision scores of every row")
    try check(filters, in: store, "before updates")
    try update(store)
    try check(filters + [updatedFilter], in: store, "after updates")
    try remove(store)
    try check([everything, updatedFilter], in: store, "after removals")
    Console.progress("Compacting, opening again, checking every byte")
    checks.expect(try store.compact(), "compact() found nothing to do")
    try check([everything], in: store, "after compaction")
    try store.close()
    try checkReopened()
  }

  private func put(_ store: EmbeddingStore) throws {
    Console.progress("Putting \(data.rowCount) records with all fields")
    for batch in data.batches(of: 1_000) {
      let commit = try store.put(try batch.map { try expected.record(of: $0) })
      checks.expect(commit.putCount == batch.count, "put \(commit.putCount) of \(batch.count)")
    }
    checks.expect(try store.count() == data.rowCount, "the store does not count every row")
  }

  /// Answers the queries that are words, and prints what they found.
  private func answerNaturalQueries(_ store: EmbeddingStore) throws {
    let queries = data.queries.indices.suffix(data.naturalQueryCount)
    if queries.isEmpty { return }
    Console.line("Closest to these words:")
    for query in queries {
      let matches = try store.search(for: data.queries[query], count: 4)
      let names = matches.map { "\($0.key) \(Decimals.text($0.score, places: 2))" }
      Console.line("  \(data.queryNames[query]):  \(names.joined(separator: ", "))")
    }
  }

  /// Every query of the data, one by one and many at once, against the data's exact answers.
  private func checkAllAnswers(_ store: EmbeddingStore) throws {
    Console.progress("Checking the answers to \(data.queries.count) queries")
    let depth = data.answers[0].count
    for (query, vector) in data.queries.enumerated() {
      expect(try store.search(for: vector, count: depth), query, data.answers[query], depth, "")
    }
    for group in data.queries.indices.batches(of: 100) {
      let count = min(10, depth)
      let found = try store.search(for: Array(data.queries[group]), count: count)
      for (query, matches) in zip(group, found) {
        expect(matches, query, data.answers[query], count, " among 100 at once")
      }
    }
  }

  private func expect(
    _ matches: [Match], _ query: Int, _ answer: [ScoredRow], _ count: Int, _ place: String,
    admits: (Int) -> Bool = { _ in true }
  ) {
    let problem = judge.problem(
      matches, query: query, answer: answer, count: count, admits: admits)
    checks.expectNone(problem.map { "query \(query) (\(data.queryNames[query]))\(place): \($0)" })
  }

  private mutating func update(_ store: EmbeddingStore) throws {
    Console.progress("Updating labels and timestamps of every seventh record")
    for batch in Array(stride(from: 0, to: data.rowCount, by: 7)).batches(of: 1_000) {
      var updates: [RecordUpdate] = []
      for row in batch {
        // Every third of them loses its timestamp; the others are moved by a day.
        let old = expected.timestamps[row] ?? Date(timeIntervalSince1970: 0)
        let timestamp = row % 3 == 0 ? nil : old.addingTimeInterval(86_400)
        expected.update(row, timestamp: timestamp, adding: Self.updatedLabel)
        updates.append(
          RecordUpdate(
            key: data.keys[row], timestamp: timestamp.map { .set($0) } ?? .removed,
            labels: .set(expected.labels[row])))
      }
      try store.update(updates)
    }
  }

  private mutating func remove(_ store: EmbeddingStore) throws {
    Console.progress("Removing every fifth record")
    let rows = Array(stride(from: 2, to: data.rowCount, by: 5))
    for batch in rows.batches(of: 1_000) {
      let commit = try store.remove(batch.map { data.keys[$0] })
      checks.expect(commit.removedCount == batch.count, "removed \(commit.removedCount) only")
      for row in batch { expected.remove(row) }
    }
    checks.expect(try store.count() == expected.liveCount, "removed records are still counted")
    for row in rows.prefix(100) {
      checks.expect(try !store.contains(data.keys[row]), "\(data.keys[row]) is still there")
    }
  }

  private func checkReopened() throws {
    let store = try EmbeddingStore(at: url, space: data.space)
    let report = store.openReport
    checks.expect(!report.wasCreated, "opening made a new store")
    checks.expect(
      report.replayedChangeCount == 0, "\(report.replayedChangeCount) changes after compaction")
    try check(filters + [updatedFilter], in: store, "after opening again")
    try checkRecords(store)
    let verification = try store.verify()
    checks.expect(
      verification.isIntact, "verify: \(verification.problems.first?.description ?? "")")
    try store.close()
  }

  /// All fields of about a thousand records.
  private func checkRecords(_ store: EmbeddingStore) throws {
    for row in stride(from: 0, to: data.rowCount, by: max(1, data.rowCount / 1_000)) {
      let wanted = expected.isLive[row] ? try expected.record(of: row) : nil
      let found = try store.record(for: data.keys[row])
      checks.expect(found == wanted, "the record of \"\(data.keys[row])\" is not what was put")
      let origin = try found?.metadata(as: ExpectedRecords.Origin.self)
      checks.expect(
        found == nil || origin == .init(set: data.name, row: row),
        "the metadata of \"\(data.keys[row])\" is not what was put")
    }
  }
}

// MARK: - Filters

extension StoreJourney {
  /// A condition on rows, said to the store and to the oracle.
  private struct Condition {
    var name: String
    var filter = Filter()
    var predicate: (@Sendable (Row) -> Bool)?
    var admits: @Sendable (Int) -> Bool
  }

  private func check(
    _ conditions: [Condition], in store: EmbeddingStore, _ moment: String
  ) throws {
    let queries = oracleQueries
    let count = 25
    for condition in conditions {
      let isLive = expected.isLive
      let admits: @Sendable (Int) -> Bool = { isLive[$0] && condition.admits($0) }
      let answers = ExactAnswers(data).best(count, for: queries, among: admits)
      for (query, answer) in zip(queries, answers) {
        let found = try store.search(
          for: data.queries[query], count: count, filter: condition.filter,
          where: condition.predicate)
        expect(found, query, answer, count, ", \(condition.name) \(moment)", admits: admits)
      }
    }
  }

  /// The last queries, as many as the oracle answers in a few seconds.
  private var oracleQueries: [Int] {
    let affordable = 2_000_000_000 / (data.rowCount * data.dimension)
    let mostCount = BuildKind.isDebug ? 5 : 100
    return Array(data.queries.indices.suffix(max(5, min(mostCount, affordable))))
  }

  private var everything: Condition { Condition(name: "no filter") { _ in true } }

  private var updatedFilter: Condition {
    let labels = expected.labels
    let label = Self.updatedLabel
    return Condition(name: "label \"\(label)\"", filter: Filter(labels: [.all([label])])) {
      labels[$0].contains(label)
    }
  }

  private var filters: [Condition] {
    [everything, keySample, labelledAny, labelledNone, labelsInClosure] + middleTimestamps
  }

  private var keySample: Condition {
    let keys = data.keys
    return Condition(
      name: "closure on keys", predicate: { KeySample.admits($0.key, percent: 10) },
      admits: { KeySample.admits(keys[$0], percent: 10) })
  }

  /// The labels of the first two records.
  private var someLabels: Set<String> {
    expected.labels[0].union(expected.labels[min(1, data.rowCount - 1)])
  }

  private var labelledAny: Condition {
    let (labels, some) = (expected.labels, someLabels)
    return Condition(name: "any label", filter: Filter(labels: [.any(some)])) {
      !labels[$0].isDisjoint(with: some)
    }
  }

  private var labelledNone: Condition {
    let (labels, some) = (expected.labels, someLabels)
    return Condition(name: "no label", filter: Filter(labels: [.none(some)])) {
      labels[$0].isDisjoint(with: some)
    }
  }

  private var labelsInClosure: Condition {
    let (labels, some) = (expected.labels, someLabels)
    return Condition(
      name: "closure on labels", predicate: { !$0.labels.isDisjoint(with: some) },
      admits: { !labels[$0].isDisjoint(with: some) })
  }

  /// Between the first and the third quartile of the timestamps, if there are any.
  private var middleTimestamps: [Condition] {
    let (timestamps, sorted) = (expected.timestamps, data.timestamps.compactMap(\.self).sorted())
    guard let last = sorted.last else { return [] }
    let lower = sorted[sorted.count / 4]
    let range = lower..<max(sorted[sorted.count * 3 / 4], min(last, lower.addingTimeInterval(1)))
    return [
      Condition(name: "timestamps", filter: Filter(timestamps: range)) {
        timestamps[$0].map(range.contains) ?? false
      }
    ]
  }
}
