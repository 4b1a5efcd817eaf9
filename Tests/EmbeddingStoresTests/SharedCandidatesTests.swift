import Dispatch
import EmbeddingKernels
import EmbeddingTestSupport
import Foundation
import Synchronization
import Testing

@testable import EmbeddingStores

@Suite struct SharedCandidatesTests {
  @Test(arguments: [false, true]) func threadsTogetherKeepTheBest(isGrouped: Bool) throws {
    var random = SeededGenerator("threadsTogetherKeepTheBest", seed: 9)
    for capacity in [1, 3, 64, 5_000] {
      let rows = (0..<UInt32(4_000)).map { row in
        Candidate(
          score: Float(Int.random(in: 0..<900, using: &random)), row: row,
          group: isGrouped ? row / 3 : row)
      }
      let shared = SharedCandidates(
        TopCandidates(capacity: capacity, grouped: isGrouped, precedes: <), isGrouped: isGrouped)
      let highest = Mutex(-Float.infinity)
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for row in rows where Int(row.row) % 4 == thread {
          let threshold = shared.threshold
          highest.withLock { $0 = max($0, threshold) }
          guard row.score >= threshold, shared.admits(row) else { continue }
          do { try shared.withLock { $0.insert(row) } } catch { Issue.record(error) }
        }
      }
      var best: [UInt32: Candidate] = [:]
      for row in rows where row.score > best[row.group]?.score ?? -.infinity {
        best[row.group] = row
      }
      let expected = best.values.sorted { ($0.score, $1.row) > ($1.score, $0.row) }
        .prefix(capacity)
      let found = shared.sorted()
      #expect(found.map(\.row) == expected.map(\.row), "\(capacity)")
      #expect(shared.count == found.count)
      // A higher one would have excluded a row of the result.
      #expect(found.count < capacity || highest.withLock { $0 } <= found[capacity - 1].score)
      #expect(shared.threshold == (found.count < capacity ? -.infinity : found[capacity - 1].score))
    }
  }

  @Test func aBetterPartOfTheSameKeyEntersAndAWorseOneDoesNot() throws {
    let shared = SharedCandidates(
      TopCandidates(capacity: 2, grouped: true, precedes: <), isGrouped: true)
    try shared.withLock { $0.insert(Candidate(score: 0.9, row: 1, group: 1)) }
    try shared.withLock { $0.insert(Candidate(score: 0.1, row: 2, group: 2)) }
    #expect(!shared.admits(Candidate(score: 0.5, row: 3, group: 1)))
    #expect(shared.admits(Candidate(score: 0.95, row: 3, group: 1)))
    #expect(shared.admits(Candidate(score: 0.5, row: 3, group: 3)))
  }

  /// One that takes its time would else hold up every thread.
  @Test(arguments: [true, false]) func closuresRunOnSeveralThreadsAtOnce(hasCodes: Bool) throws {
    let directory = try TemporaryDirectory()
    var configuration = StoreConfiguration()
    configuration.searchThreadCount = 2
    configuration.byteCountPerSearchThread = 1 << 12
    configuration.writesCompactCodes = hasCodes
    var random = SeededGenerator("closuresRunOnSeveralThreadsAtOnce", seed: 10)
    let store = try EmbeddingStore(
      at: directory.url.appendingPathComponent("store"),
      space: EmbeddingSpace(model: "test", dimension: 64), configuration: configuration)
    let vectors = RandomVectors.uniform(9_000, dimension: 64, using: &random)
    try store.put(vectors.enumerated().map { Record(key: "\($0)", vector: $1) })
    try store.compact()
    let meeting = Meeting()
    let matches = try store.search(for: vectors[0], count: 5) { _ in meeting.attend() }
    #expect(matches.first?.key == "0" && matches.count == 5)
    #expect(meeting.hasTakenPlace)
    try store.close()
  }
}

/// Two threads that wait for each other, but not for ever.
private final class Meeting: Sendable {
  private let presentCount = Atomic(0)
  private let isOver = Atomic(false)
  private let took = Atomic(false)

  var hasTakenPlace: Bool { took.load(ordering: .relaxed) }

  func attend() -> Bool {
    guard !isOver.load(ordering: .relaxed) else { return true }
    if presentCount.add(1, ordering: .relaxed).newValue == 2 {
      took.store(true, ordering: .relaxed)
      isOver.store(true, ordering: .relaxed)
    }
    let end = ContinuousClock.now + .seconds(10)
    while !isOver.load(ordering: .relaxed), ContinuousClock.now < end {
      Thread.sleep(forTimeInterval: 0.001)
    }
    isOver.store(true, ordering: .relaxed)
    return true
  }
}
