internal import EmbeddingStores
internal import EmbeddingTestSupport
internal import Foundation

/// A store in a process whose files may not grow beyond a limit.
struct LimitedFilesRun {
  private let directory: URL
  private var generator: SeededGenerator
  /// Which number is stored under each key.
  private var model: [String: Int] = [:]

  init(in directory: URL, seed: UInt64) {
    self.directory = directory
    generator = SeededGenerator(seed: seed)
  }

  mutating func run() throws {
    try? FileManager.default.removeItem(at: directory)
    let limit = Int.random(in: 10_000...60_000, using: &generator)
    let worker = try Worker(["serve-limited", directory.path, "\(limit)"])
    switch worker.readLine() {
    case "ready": break
    case "noSpace": return try compare("after a creation without room")
    case let line:
      throw FaultFinding("opening below a limit of \(limit): \(line ?? "the process ended")")
    }
    var number = 0
    while try ask(worker, "put key\(number) \(number)", mayBeRefused: true) {
      model["key\(number)"] = number
      number += 1
      if number % 64 == 0 { _ = try ask(worker, "compact", mayBeRefused: true) }
      guard number < 5_000 else { throw FaultFinding("a limit of \(limit) bytes was never met") }
    }
    try compare("at the limit")
    if try ask(worker, "remove key1", mayBeRefused: true) { model["key1"] = nil }
    if try ask(worker, "compact", mayBeRefused: true) {
      // The journal is empty again.
      try ask(worker, "remove key2", mayBeRefused: false)
      model["key2"] = nil
    }
    try compare("after removing at the limit")
    try ask(worker, "limit none", mayBeRefused: false)
    try ask(worker, "put new \(number)", mayBeRefused: false)
    model["new"] = number
    for line in ["remove key3", "compact", "close"] {
      try ask(worker, line, mayBeRefused: false)
    }
    model["key3"] = nil
    guard worker.wait() == 0 else { throw FaultFinding("the process did not end well") }
    try compare("opened again without a limit")
  }

  @discardableResult
  private func ask(_ worker: Worker, _ line: String, mayBeRefused: Bool) throws -> Bool {
    switch try worker.ask(line) {
    case "ok": return true
    case "noSpace" where mayBeRefused: return false
    case let answer: throw FaultFinding("\(line): \(answer ?? "the process ended")")
    }
  }

  /// This process has no limit, so that a failed creation can be repeated here.
  private func compare(_ moment: String) throws {
    let store =
      try model.isEmpty
      ? EmbeddingStore(at: directory, space: EmbeddingSpace(model: "worker", dimension: 8))
      : EmbeddingStore(readingAt: directory)
    let stored = try store.keys().map { key in (key, try store.record(for: key)?.text ?? "") }
    let expected = model.mapValues { "\($0)" }
    guard Dictionary(uniqueKeysWithValues: stored) == expected else {
      throw FaultFinding("\(moment): \(stored.count) records instead of \(expected.count)")
    }
    let query = [Float](repeating: 1, count: 8)
    guard try store.search(for: query, count: 1_000).count == expected.count else {
      throw FaultFinding("\(moment): a search finds another number of records")
    }
    let problems = try store.verify().problems
    guard problems.isEmpty else { throw FaultFinding("\(moment): verification finds \(problems)") }
  }
}
