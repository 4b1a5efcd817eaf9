internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// Stores of which every user is killed, one after the other, and what each should hold.
struct KillHistory {
  private let work: any KilledWork
  private let run: CampaignRun
  private let directory: URL
  private let seed: UInt64
  private let killCount: Int
  private var generator: SeededGenerator
  private var model = StoreModel()
  /// The number of the next operation.
  private var number = 0
  private var storeNumber = 0
  private var kill = 0
  /// Whether the operation under way may still turn out to have happened.
  private var isOneUnderWay = false
  private var counts = (beyond: 0, operations: 0)
  private var phases = KillPhases()

  /// A store is used by so many processes.
  private static let killsPerStore = 50

  init(
    _ work: any KilledWork, _ run: CampaignRun, in directory: URL, seed: UInt64, killCount: Int
  ) {
    self.work = work
    self.run = run
    self.directory = directory
    self.seed = seed
    self.killCount = killCount
    generator = SeededGenerator(seed: seed)
  }

  /// Runs a campaign of such histories, one on each file system.
  static func killOnEveryFileSystem(_ work: some KilledWork, _ run: CampaignRun) {
    run.onEveryFileSystem { directory, seed, killCount in
      var history = KillHistory(work, run, in: directory, seed: seed, killCount: killCount)
      do {
        try history.killAll()
      } catch {
        run.found("\(history.place): \(error)")
      }
      return history.summary
    }
  }

  var place: String { "seed \(run.seed), kill \(kill), store \(storeNumber), operation \(number)" }

  var summary: String {
    "\(kill) kills, soon after: \(phases); \(counts.operations) operations acknowledged, "
      + "\(counts.beyond) beyond"
  }

  private var url: URL {
    directory.appending(path: "store-\(storeNumber)", directoryHint: .isDirectory)
  }

  mutating func killAll() throws {
    while kill < killCount, !run.isFinished {
      if kill % Self.killsPerStore == 0 { startAnew() }
      let acknowledged = try killOne()
      for _ in 0..<acknowledged { advance() }
      counts.operations += acknowledged
      isOneUnderWay = true
      try check()
      kill += 1
      run.tried()
    }
  }

  private mutating func startAnew() {
    try? FileManager.default.removeItem(at: url)
    storeNumber += 1
    model = StoreModel()
  }

  private mutating func advance() {
    ScriptedOperation(number: number, seed: seed).apply(to: &model)
    number += 1
  }

  /// How many operations the process acknowledged before it was killed.
  private mutating func killOne() throws -> Int {
    let worker = try Worker([work.command, url.path, "\(seed)", "\(number)"])
    var lines: [String] = []
    let moment = work.moments[Int.random(in: work.moments.indices, using: &generator)]
    while let line = worker.readLine() {
      lines.append(line)
      if line == moment.line { break }
    }
    phases.note(moment.line)
    usleep(UInt32.random(in: 0..<moment.window, using: &generator))
    worker.kill()
    while let line = worker.readLine() { lines.append(line) }
    for line in lines where line.hasPrefix("failed") { run.found("\(place): \(line)") }
    let numbers = lines.compactMap(Int.init)
    if numbers != Array(number..<number + numbers.count) {
      run.found("\(place): acknowledged \(numbers)")
    }
    return numbers.count
  }
}

// MARK: - What is left

extension KillHistory {
  private mutating func check() throws {
    try? FileManager.default.removeItem(at: url.appendingPathExtension("backup"))
    if FileManager.default.fileExists(atPath: url.appending(path: "MANIFEST").path),
      Bool.random(using: &generator)
    {
      try examine(try EmbeddingStore(readingAt: url), "read only")
    } else if Bool.random(using: &generator) {
      // Another process is the first to open it.
      try letAnotherOpen()
    }
    let store = try EmbeddingStore(at: url, space: ScriptedOperation.space)
    try examine(store, "reopened")
    isOneUnderWay = false
    for problem in try store.verify().problems { run.found("\(place): \(problem)") }
    let record = Record(key: "swept", vector: [Float](repeating: 1, count: 8), text: "\(kill)")
    try store.put(record)
    model.put(record)
    // SQLite leaves the journal of what did not begin to change the file until it writes again.
    let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
      .filter { $0 != "text.sqlite-journal" }
    if names.count != work.fileCount { run.found("\(place): \(names.sorted()) after a write") }
    try store.close()
  }

  private func letAnotherOpen() throws {
    let worker = try Worker(["reopen", url.path])
    if worker.readLine() != "ok" || worker.wait() != 0 {
      run.found("\(place): another process could not open it")
    }
  }

  private mutating func examine(_ store: EmbeddingStore, _ how: String) throws {
    try compare(store, how)
    for problem in try work.problems(of: store, model, using: &generator) {
      run.found("\(place): \(how), \(problem)")
    }
  }

  /// The records are those of the model, or those after the operation that was under way.
  private mutating func compare(_ store: EmbeddingStore, _ how: String) throws {
    let stored = try records(of: store)
    if stored == model.records { return }
    if isOneUnderWay {
      isOneUnderWay = false
      advance()
      counts.beyond += 1
    }
    guard stored != model.records else { return }
    run.found(
      "\(place): \(how), the store holds \(stored.count) records, not the \(model.count) expected")
    throw CocoaError(.fileReadCorruptFile)
  }

  private func records(of store: EmbeddingStore) throws -> [StoreModel.Identity: Record] {
    var records: [StoreModel.Identity: Record] = [:]
    for key in try store.keys() {
      for record in try store.records(for: key) {
        records[StoreModel.Identity(key, record.part)] = record
      }
    }
    return records
  }
}
