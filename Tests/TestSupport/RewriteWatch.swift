internal import EmbeddingStores
package import Foundation

/// A reader that refreshes or opens a store of `RewrittenRecords` afresh, and sees no record whose
/// version goes back.
package struct RewriteWatch: Watch {
  private var store: WatchedStore
  private var versions: [Int: Int] = [:]
  private var generator = SeededGenerator(seed: 5)

  package init(_ directory: URL) {
    store = WatchedStore(directory, looksPerOpening: 20)
  }

  package var lookCount: Int { store.lookCount }

  package mutating func look() -> String? {
    usleep(5_000)
    do {
      return try look(at: try store.look()).map { "Look \(lookCount): \($0)" }
    } catch {
      return "Look \(lookCount): \(error)"
    }
  }

  private mutating func look(at snapshot: Snapshot) throws -> String? {
    guard snapshot.count > 0 else { return "the store is empty" }
    let number = Int.random(in: 0..<snapshot.count, using: &generator)
    let query = RewrittenRecords.vector(number, version: 0)
    let matches = try snapshot.search(for: query, count: 4)
    guard matches.count == 4 else { return "\(matches.count) matches" }
    if let problem = try check(number, in: snapshot).problem { return problem }
    for match in matches {
      guard let number = Int(match.key) else { return "a foreign key \(match.key)" }
      let (vector, problem) = try check(number, in: snapshot)
      if let problem { return problem }
      let score = zip(query, vector).reduce(0) { $0 + $1.0 * $1.1 }
      if match.score != score { return "record \(number) scores \(match.score), not \(score)" }
    }
    return nil
  }

  private mutating func check(
    _ number: Int, in snapshot: Snapshot
  ) throws -> (vector: [Float], problem: String?) {
    guard let record = try snapshot.record(for: "\(number)"),
      let version = record.text.flatMap({ Int($0) })
    else { return ([], "record \(number) is missing") }
    guard record == RewrittenRecords.record(number, version: version) else {
      return (record.vector, "record \(number) is torn or foreign at version \(version)")
    }
    let last = versions.updateValue(version, forKey: number) ?? 0
    return (
      record.vector, version < last ? "record \(number): version \(version) after \(last)" : nil
    )
  }
}
