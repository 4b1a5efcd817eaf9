internal import EmbeddingExchange
internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// Stores that one process after the other writes to, archives and restores until it is killed.
struct ArchiveKillHistory {
  private let run: CampaignRun
  private let directory: URL
  private let seed: UInt64
  private let killCount: Int
  private var generator: SeededGenerator
  private var model = StoreModel()
  /// The number of the next operation.
  private var number = 0
  private var kill = 0
  private var counts = (archives: 0, stores: 0, unfinished: 0)
  private var phases = KillPhases()

  /// A store is used by so many processes.
  private static let killsPerStore = 50
  /// The most microseconds to wait after a process said what it begins with.
  private static let window: UInt32 = 30_000

  init(_ run: CampaignRun, in directory: URL, seed: UInt64, killCount: Int) {
    self.run = run
    self.directory = directory
    self.seed = seed
    self.killCount = killCount
    generator = SeededGenerator(seed: seed)
  }

  var summary: String {
    "\(kill) kills, soon after: \(phases); \(counts.archives) archives and \(counts.stores) restored "
      + "stores whole, \(counts.unfinished) unfinished"
  }

  var place: String { "seed \(run.seed), kill \(kill), operation \(number)" }

  private var url: URL {
    directory.appending(path: "store-\(kill / Self.killsPerStore)", directoryHint: .isDirectory)
  }

  /// Where the process puts what it makes; nothing is there when it begins.
  private var folder: URL { directory.appending(path: "made", directoryHint: .isDirectory) }

  mutating func killAll() throws {
    while kill < killCount, !run.isFinished {
      if kill % Self.killsPerStore == 0 { model = StoreModel() }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      let states = try killOne()
      try checkStore(states)
      try checkMade(states)
      try FileManager.default.removeItem(at: folder)
      kill += 1
      run.tried()
    }
  }

  /// What the store held from when the process began, one state for each operation acknowledged, and the
  /// one after the operation that was under way.
  private mutating func killOne() throws -> [StoreModel] {
    let worker = try Worker(["script-and-archive", url.path, "\(seed)", "\(number)", folder.path])
    let moment = ["opening", "open", "archiving", "restoring"].randomElement(using: &generator)
    var linesLeft = moment?.hasSuffix("ing") == true ? Int.random(in: 1...3, using: &generator) : 1
    if moment == "opening" { linesLeft = 1 }
    var lines: [String] = []
    while linesLeft > 0, let line = worker.readLine() {
      lines.append(line)
      if line == moment { linesLeft -= 1 }
    }
    phases.note(moment ?? "")
    usleep(UInt32.random(in: 0..<Self.window, using: &generator))
    worker.kill()
    while let line = worker.readLine() { lines.append(line) }
    for line in lines where line.hasPrefix("failed") { run.found("\(place): \(line)") }
    let numbers = lines.compactMap(Int.init)
    if numbers != Array(number..<number + numbers.count) {
      run.found("\(place): acknowledged \(numbers)")
    }
    var states = [model]
    for _ in 0...numbers.count {
      ScriptedOperation(number: number, seed: seed).apply(to: &model)
      states.append(model)
      number += 1
    }
    return states
  }
}

// MARK: - What is left

extension ArchiveKillHistory {
  /// The store holds one of the last two states; then it is archived and restored in peace.
  private mutating func checkStore(_ states: [StoreModel]) throws {
    try? FileManager.default.removeItem(at: url.appendingPathExtension("backup"))
    let store = try EmbeddingStore(at: url, space: ScriptedOperation.space)
    for problem in try store.verify().problems { run.found("\(place): \(problem)") }
    guard let state = states.suffix(2).last(where: { $0.disagreement(with: store) == nil }) else {
      throw FaultFinding("the store holds \(try store.count()) records, in no state expected")
    }
    model = state
    let archive = directory.appending(path: "later.archive", directoryHint: .notDirectory)
    let copy = directory.appending(path: "later.store", directoryHint: .isDirectory)
    try store.archive(to: archive)
    try EmbeddingStore.restore(archive, to: copy)
    try check(copy, [state])
    for made in [archive, copy] { try FileManager.default.removeItem(at: made) }
    try store.close()
  }

  /// Whatever has a name of its own is whole, and holds one of the states.
  private mutating func checkMade(_ states: [StoreModel]) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let made = folder.appending(path: name)
      switch made.pathExtension {
      case "tmp": counts.unfinished += 1
      case "store":
        counts.stores += 1
        try check(made, states)
      case "archive":
        counts.archives += 1
        let copy = made.appendingPathExtension("restored")
        try EmbeddingStore.restore(made, to: copy)
        try check(copy, states)
      default: run.found("\(place): \(name) was left")
      }
    }
  }

  private func check(_ directory: URL, _ states: [StoreModel]) throws {
    let store = try EmbeddingStore(readingAt: directory)
    let name = directory.lastPathComponent
    for problem in try store.verify().problems { run.found("\(place): \(name): \(problem)") }
    if states.allSatisfy({ $0.disagreement(with: store) != nil }) {
      run.found("\(place): \(name) holds \(try store.count()) records, in no state expected")
    }
    try store.close()
  }
}
