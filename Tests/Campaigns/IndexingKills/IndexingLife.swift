internal import EmbeddingTestSupport
internal import Foundation

/// One process that indexes, from its start until it ended or was killed.
struct IndexingLife {
  private(set) var lines: [String] = []
  private(set) var wasKilled = false

  /// What it did when it was killed.
  var phase: String {
    switch lines.last?.prefix(while: { $0 != " " }) {
    case nil: "starting"
    case "processed": "between batches"
    case "compacted": "storing"
    case let word?: "\(word)"
    }
  }

  /// Items dealt with and items of the plan, as it said last.
  var progress: (processed: Int, total: Int)? {
    guard let line = lines.last(where: { $0.hasPrefix("processed") }) else { return nil }
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
  }

  func said(_ word: String) -> Bool { lines.contains { $0.hasPrefix(word) } }

  /// Lets a process live until `moment`, or until its end when there is none.
  init(
    _ arguments: [String], until moment: KillMoment?, using generator: inout SeededGenerator
  ) throws {
    let worker = try Worker(arguments)
    var isDue = moment != nil && moment?.isReached == nil
    while let moment, !isDue, let line = worker.readLine() {
      lines.append(line)
      isDue = moment.isReached?(line) == true
    }
    if let moment, isDue {
      usleep(UInt32.random(in: 0...UInt32(moment.window), using: &generator))
      worker.kill()
    }
    while let line = worker.readLine() { lines.append(line) }
    let code = worker.wait()
    wasKilled = isDue && code == 9
    if !wasKilled, code != 0 || lines.last != "finished" {
      throw FaultFinding("a process ended with \(code) after \(lines.suffix(2))")
    }
  }
}
