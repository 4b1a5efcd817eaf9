internal import EmbeddingIndexing
internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation
internal import Synchronization

/// One migration, killed while it builds the new store, while the stores change places, there and
/// back, and while the old one is discarded.
struct MigrationKillHistory {
  let run: CampaignRun
  let directory: URL
  let items: [ScriptedItem]
  let killCount: Int
  let searches: [SpaceSearches]
  var generator: SeededGenerator
  var batches: EncodedBatches
  var kill = 0
  var phases = KillPhases()
  var itemsLeft: Int
  /// The space that the store was of after the last process.
  var held = Self.old
  /// Texts that were changed by hand, by space and key.
  var texts: [EmbeddingSpace: [String: String]] = [:]
  /// Within how many microseconds a process is killed that does a step: so many that about every
  /// second one gets through.
  var windows = ["switch": 100_000.0, "switch-back": 5_000.0, "discard": 2_000.0]
  private var watchNote = ""

  static let old = ScriptedItem.space(0)
  static let new = ScriptedItem.space(1)
  static let batchSize = 100
  static let batchMicroseconds = 1_500

  init(_ run: CampaignRun, number: Int, rowCount: Int, killCount: Int) throws {
    self.run = run
    self.killCount = killCount
    generator = run.generator(number)
    // Ten items have 13 parts.
    items = ScriptedItem.all(rowCount * 10 / 13 + 1, in: .flawless)
    itemsLeft = items.count
    directory = run.directory.appending(path: "migration-\(number)", directoryHint: .isDirectory)
    batches = EncodedBatches(directory.appending(path: "notes"))
    searches = [
      SpaceSearches(items, in: Self.old, using: &generator),
      SpaceSearches(items, in: Self.new, using: &generator),
    ]
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try makeStart()
  }

  var place: String { "seed \(run.seed), \(directory.lastPathComponent), kill \(kill)" }

  var summary: String {
    "\(items.reduce(0) { $0 + $1.partCount }) rows, \(kill) kills (\(phases)); "
      + "\(batches.encodingCount) encodings of \(batches.itemCount) items; \(watchNote)"
  }

  var store: URL { url("store") }
  /// Where a migration keeps the other store.
  var beside: URL { url("store.other-space") }

  func url(_ name: String) -> URL {
    directory.appending(path: name, directoryHint: .isDirectory)
  }

  /// Switches without a kill.
  private var switchCount: Int { 3 * killCount }

  private func makeStart() throws {
    let store = try EmbeddingStore(at: url("start"), space: Self.old)
    try store.put(items.flatMap { $0.records(in: Self.old) })
    try store.compact()
    try store.close()
    try FileManager.default.copyItem(at: url("start"), to: self.store)
  }

  mutating func killAll() throws {
    let looks = try whileSearching(looksPerOpening: 10, pauseMicroseconds: 1_000) { history, _ in
      while history.kill < history.killCount, !history.run.isFinished { try history.killOne() }
    }
    let openings = try whileSearching(looksPerOpening: 1, pauseMicroseconds: 0) { history, looks in
      try history.switchToAndFro(looks)
    }
    watchNote =
      "searched \(looks) times meanwhile; opened \(openings) times during \(switchCount) "
      + "switches without a kill"
    let last = try IndexingLife(arguments("migrate"), until: nil, using: &generator)
    try check(after: last, "migrate")
    try checkEnd()
  }

  /// Searches the store on another thread meanwhile; tells `body`, and answers, how often that was
  /// done.
  private mutating func whileSearching(
    looksPerOpening: Int, pauseMicroseconds: UInt32,
    _ body: (inout MigrationKillHistory, () -> Int) throws -> Void
  ) throws -> Int {
    let isOver = Atomic(false)
    let lookCount = Atomic(0)
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) { [store, searches, run] in
      var watch = MigrationWatch(store, searches, looksPerOpening: looksPerOpening)
      while !isOver.load(ordering: .relaxed), !run.hasFoundEnough {
        if let problem = watch.look() { run.found(problem) }
        lookCount.store(watch.lookCount, ordering: .relaxed)
        if pauseMicroseconds > 0 { usleep(pauseMicroseconds) }
      }
    }
    defer {
      isOver.store(true, ordering: .relaxed)
      group.wait()
    }
    try body(&self) { lookCount.load(ordering: .relaxed) }
    isOver.store(true, ordering: .relaxed)
    group.wait()
    return lookCount.load(ordering: .relaxed)
  }

  func arguments(_ command: String) -> [String] {
    [
      command, store.path, "\(items.count)", "\(ScriptedItem.Version.flawless.rawValue)", "1",
      "\(Self.batchSize)", "\(Self.batchMicroseconds)", directory.appending(path: "notes").path,
    ]
  }
}

// MARK: - Killing

extension MigrationKillHistory {
  /// Six of ten kills fall anywhere until the new store is built, the next on switching, the last
  /// on discarding.
  private mutating func killOne() throws {
    let buildKillCount = killCount * 6 / 10
    if kill < buildKillCount {
      let moment = KillMoment.random(
        batchesLeft: itemsLeft / Self.batchSize - 2, killsLeft: buildKillCount - kill,
        batchMicroseconds: Self.batchMicroseconds, using: &generator)
      try letLive("migrate", until: moment.orAt("switching"), step: nil)
    } else if kill < killCount * 85 / 100 {
      if held == Self.old { return try kill("migrate", at: "switching", step: "switch") }
      try putOldStoreBack()
      try kill("switch-back", at: "switching", step: "switch-back")
    } else {
      try putOldStoreBack()
      try kill("migrate", at: "discarding", step: "discard")
    }
  }

  private mutating func kill(_ command: String, at line: String, step: String) throws {
    let window = Int(windows[step, default: 0])
    try letLive(command, until: .after(line, within: window), step: step)
  }

  private mutating func letLive(
    _ command: String, until moment: KillMoment, step: String?
  ) throws {
    let life = try IndexingLife(arguments(command), until: moment, using: &generator)
    if let progress = life.progress { itemsLeft = progress.total - progress.processed }
    let before = held
    try check(after: life, command)
    let isBesideGone = !FileManager.default.fileExists(atPath: beside.path)
    if let step {
      let isThrough = step == "discard" ? isBesideGone : held != before
      windows[step, default: 0] *= isThrough ? 0.85 : 1.2
    }
    guard life.wasKilled else { return }
    var phase = life.phase
    if phase == "switching" {
      phase += (command == "migrate" ? "" : " back") + (held == before ? ", not yet" : ", done")
    } else if phase == "discarding" {
      let isHalfDeleted = FileManager.default.fileExists(atPath: url("store.discarded").path)
      phase += !isBesideGone ? ", not yet" : isHalfDeleted ? ", half deleted" : ", done"
    }
    phases.note(phase)
    kill += 1
    run.tried()
  }

  /// Lets the two stores change places again and again, at most once while the other thread looks
  /// once.
  private mutating func switchToAndFro(_ looks: () -> Int) throws {
    try putOldStoreBack()
    try giveFilesTheSameNames()
    let place = store
    var space = held
    var store = try EmbeddingStore(at: place, space: space)
    for _ in 0..<switchCount {
      try store.exchangePlaces(with: beside.path(percentEncoded: false)) { _ in }
      space = space == Self.old ? Self.new : Self.old
      store = try EmbeddingStore(at: place, space: space)
      let before = looks()
      while looks() == before, !run.hasFoundEnough { usleep(20) }
    }
    held = store.space
    try store.close()
  }

  /// So that a file of the other store is not just missing in this one.
  private func giveFilesTheSameNames() throws {
    let stores = [
      try EmbeddingStore(at: store, space: held),
      try EmbeddingStore(at: beside, space: held == Self.old ? Self.new : Self.old),
    ]
    let latest = try stores.map { try $0.statistics().generation }.max() ?? 0
    for store in stores {
      repeat {
        // Without a change there would be nothing to compact.
        try store.update([RecordUpdate(key: items[0].key, labels: .set(items[0].labels))])
        try store.compact()
      } while try store.statistics().generation <= latest
      try store.close()
    }
  }

  /// After the old store was discarded: as if it had not been.
  private mutating func putOldStoreBack() throws {
    guard held == Self.new, !FileManager.default.fileExists(atPath: beside.path) else { return }
    try FileManager.default.copyItem(at: url("start"), to: beside)
    texts[Self.old] = [:]
  }
}

// MARK: - What is there

extension MigrationKillHistory {
  private mutating func check(after life: IndexingLife, _ command: String) throws {
    if let problem = batches.readLife() { run.found("\(place): \(problem)") }
    let store = try EmbeddingStore(readingAt: store)
    try noteSpace(store.space, after: life, command)
    for problem in try store.verify().problems { run.found("\(place): \(problem)") }
    let snapshot = try store.snapshot()
    for searches in searches where searches.space == held {
      if let problem = try searches.problem(in: snapshot) { run.found("\(place): \(problem)") }
    }
    let different = try items.filter { try snapshot.records(for: $0.key) != expected($0) }
    if let first = different.first {
      run.found(
        "\(place): \(different.count) items differ in \(held.model), such as \(first.key)")
    }
    try store.close()
    let other = try SpaceMigration.spaceBeside(self.store)
    if let other, ![Self.old, Self.new].contains(other) || other == held {
      run.found("\(place): a store of \(other.model) is beside that of \(held.model)")
    }
    if Bool.random(using: &generator) { try changeText() }
  }

  /// What a process did to the space of the store, from what it said.
  private mutating func noteSpace(
    _ space: EmbeddingSpace, after life: IndexingLife, _ command: String
  ) throws {
    let target = command == "migrate" ? Self.new : Self.old
    let isPossible =
      life.said("switched")
      ? space == target
      : life.said("switching") ? space == held || space == target : space == held
    guard isPossible else {
      throw FaultFinding("\(space.model) after \(held.model) and \(life.lines.suffix(3))")
    }
    if space != held {
      // Details that were changed meanwhile go along, but not back.
      if space == Self.new { texts[Self.new] = texts[Self.old] }
      held = space
    }
  }

  private func expected(_ item: ScriptedItem) -> [Record] {
    var records = item.records(in: held)
    if let text = texts[held]?[item.key] { records[0].text = text }
    return records
  }

  /// Changes a record's text by hand, as an app may at any time.
  private mutating func changeText() throws {
    guard let item = items.randomElement(using: &generator) else { return }
    let text = "changed after kill \(kill)"
    let store = try EmbeddingStore(at: store, space: held)
    try store.update([RecordUpdate(key: item.key, text: .set(text))])
    try store.close()
    texts[held, default: [:]][item.key] = text
  }

  private func checkEnd() throws {
    if held != Self.new { run.found("\(place): the migration ended in \(held.model)") }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    if names != ["notes", "start", "store"] { run.found("\(place): \(names) are left") }
    if batches.itemCount != items.count
      || batches.encodingCount > items.count + kill * Self.batchSize
    {
      run.found(
        "\(place): \(batches.encodingCount) encodings of \(batches.itemCount) items of "
          + "\(items.count)")
    }
  }
}
