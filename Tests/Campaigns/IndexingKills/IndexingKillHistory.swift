internal import EmbeddingIndexing
internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// One run over a source, killed again and again, beside one that is left alone.
struct IndexingKillHistory {
  private let run: CampaignRun
  private let directory: URL
  private let itemCount: Int
  private let killCount: Int
  private var generator: SeededGenerator
  private var batches: EncodedBatches
  private var kill = 0
  private var phases = KillPhases()
  /// Items still to be dealt with, as far as is known.
  private var itemsLeft: Int
  /// Every record by its key: before the run, and after the one that was left alone.
  private var before: [String: [Record]] = [:]
  private var after: [String: [Record]] = [:]
  private var failuresAfter: [IndexingFailure] = []

  private static let batchSize = 20
  private static let batchMicroseconds = 1_500

  init(_ run: CampaignRun, number: Int, itemCount: Int, killCount: Int) throws {
    self.run = run
    self.itemCount = itemCount
    self.killCount = killCount
    itemsLeft = itemCount
    generator = run.generator(number)
    directory = run.directory.appending(path: "run-\(number)", directoryHint: .isDirectory)
    batches = EncodedBatches(directory.appending(path: "killed.notes"))
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  var place: String { "seed \(run.seed), \(directory.lastPathComponent), kill \(kill)" }

  var summary: String {
    "\(itemCount) items, \(kill) kills (\(phases)); \(batches.encodingCount) encodings of "
      + "\(batches.itemCount) items"
  }

  private func url(_ name: String) -> URL {
    directory.appending(path: name, directoryHint: .isDirectory)
  }

  private func arguments(_ name: String, _ version: ScriptedItem.Version) -> [String] {
    [
      "index", url(name).path, "\(itemCount)", "\(version.rawValue)", "0", "\(Self.batchSize)",
      "\(name == "killed" ? Self.batchMicroseconds : 0)",
      directory.appending(path: "\(name).notes").path,
    ]
  }

  mutating func killAll() throws {
    try runUndisturbed()
    try FileManager.default.copyItem(at: url("start"), to: url("killed"))
    while kill < killCount, !run.isFinished {
      let life = try IndexingLife(
        arguments("killed", .current), until: nextMoment(), using: &generator)
      guard life.wasKilled else {
        // Where the machine is busy, a kill can come too late. Other runs make up for those missing.
        guard kill > killCount / 2 else { throw FaultFinding("it was done before the kills were") }
        break
      }
      phases.note(life.phase)
      if let progress = life.progress { itemsLeft = progress.total - progress.processed }
      try check()
      kill += 1
      run.tried()
    }
    _ = try IndexingLife(arguments("killed", .current), until: nil, using: &generator)
    try checkEnd()
  }

  /// A random moment, such that the kills are spread over the whole run.
  private mutating func nextMoment() -> KillMoment {
    if kill == killCount - 1 {
      // The last one falls on the end, where what is gone is removed.
      return KillMoment(
        isReached: { line in
          let words = line.split(separator: " ")
          return words.count == 3 && words[1] == words[2]
        }, window: 1_000)
    }
    return .random(
      batchesLeft: itemsLeft / Self.batchSize - 2, killsLeft: killCount - kill,
      batchMicroseconds: Self.batchMicroseconds, using: &generator)
  }
}

// MARK: - Before

extension IndexingKillHistory {
  /// Makes a store of the earlier version, and from it one of the current version.
  private mutating func runUndisturbed() throws {
    _ = try IndexingLife(arguments("start", .earlier), until: nil, using: &generator)
    let start = try EmbeddingStore(readingAt: url("start"))
    before = try records(of: start)
    try start.close()
    try FileManager.default.copyItem(at: url("start"), to: url("undisturbed"))
    _ = try IndexingLife(arguments("undisturbed", .current), until: nil, using: &generator)
    let store = try EmbeddingStore(at: url("undisturbed"), space: ScriptedItem.space(0))
    after = try records(of: store)
    failuresAfter = try failures(of: store)
    try store.close()
    try checkUndisturbed()
  }

  private func checkUndisturbed() throws {
    var expected: [String: [Record]] = [:]
    var failing = 0
    for item in ScriptedItem.all(itemCount, in: .current) {
      if item.defect != nil { failing += 1 }
      expected[item.key] =
        item.defect == nil ? item.records(in: ScriptedItem.space(0)) : before[item.key]
    }
    guard after == expected, failuresAfter.count >= failing, failing > 0 else {
      throw FaultFinding("the undisturbed run did not store what the source has")
    }
  }

  private func records(of store: EmbeddingStore) throws -> [String: [Record]] {
    var records: [String: [Record]] = [:]
    for key in try store.keys() { records[key] = try store.records(for: key) }
    return records
  }

  /// Without the times of the attempts.
  private func failures(of store: EmbeddingStore) throws -> [IndexingFailure] {
    try FailureLedger(of: store).failures().map { failure in
      var failure = failure
      failure.lastAttempt = .distantPast
      return failure
    }
  }
}

// MARK: - After a kill

extension IndexingKillHistory {
  private mutating func check() throws {
    if let problem = batches.readLife() { run.found("\(place): \(problem)") }
    let mayWrite = Bool.random(using: &generator)
    let store =
      try mayWrite
      ? EmbeddingStore(at: url("killed"), space: ScriptedItem.space(0))
      : EmbeddingStore(readingAt: url("killed"))
    for problem in try store.verify().problems { run.found("\(place): \(problem)") }
    let stored = try records(of: store)
    report(
      "have records that no run makes",
      stored.filter { $0.value != before[$0.key] && $0.value != after[$0.key] }.keys)
    report("are lost", before.keys.filter { after[$0] != nil && stored[$0] == nil })
    let settled = batches.settled.map { ScriptedItem($0, in: .current).key }
    report("were encoded and are not stored", settled.filter { stored[$0] != after[$0] })
    if mayWrite {
      let revision = ScriptedItem(0, in: .current).revision
      report(
        "are stored and in the ledger",
        try failures(of: store).map(\.key).filter { stored[$0]?.first?.revision == revision })
    }
    try store.close()
  }

  private mutating func checkEnd() throws {
    if let problem = batches.readLife() { run.found("\(place): \(problem)") }
    let store = try EmbeddingStore(at: url("killed"), space: ScriptedItem.space(0))
    for problem in try store.verify().problems { run.found("\(place): \(problem)") }
    let stored = try records(of: store)
    report(
      "differ at the end from the undisturbed run",
      Set(stored.keys).union(after.keys).filter { stored[$0] != after[$0] })
    if try failures(of: store) != failuresAfter {
      run.found("\(place): at the end the ledger differs from that of the undisturbed run")
    }
    if batches.encodingCount > batches.itemCount + kill * Self.batchSize {
      run.found("\(place): \(batches.encodingCount) encodings of \(batches.itemCount) items")
    }
    try store.close()
  }

  private func report(_ what: String, _ keys: some Collection<String>) {
    guard let first = keys.first else { return }
    run.found("\(place): \(keys.count) items \(what), such as \(first)")
  }
}
