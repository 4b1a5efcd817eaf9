import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingPostgres

#if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
  @Suite(.needsServer, .serialized) struct KilledPushTests {
    /// A process that pushes is killed at a random moment, again and again, while its store changes
    /// between; in the end both sides are equal. `EMBEDDING_TEST_KILLS` sets how often.
    @Test func aPushKilledAtAnyMomentGoesOnWithoutLoss() async throws {
      let count = ProcessInfo.processInfo.environment["EMBEDDING_TEST_KILLS"].flatMap { Int($0) }
      try await run(killCount: count ?? 5, restartCount: 0)
    }

    /// The same, and the server is stopped as by a crash and started again. It stops for other tests, too,
    /// so it runs only when `EMBEDDING_TEST_RESTARTS` says how often.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["EMBEDDING_TEST_RESTARTS"] != nil))
    func aServerThatCrashesLosesNothingEither() async throws {
      let environment = ProcessInfo.processInfo.environment
      let restarts = try #require(environment["EMBEDDING_TEST_RESTARTS"].flatMap { Int($0) })
      let kills = environment["EMBEDDING_TEST_KILLS"].flatMap { Int($0) } ?? 5
      try await run(killCount: kills, restartCount: restarts)
    }

    private func run(killCount: Int, restartCount: Int) async throws {
      var generator = SeededGenerator("KilledPushTests", seed: 7)
      let namespace = try TestNamespace()
      let table = try await namespace.table()
      let directory = try TemporaryDirectory()
      var next = 0
      for round in 0..<killCount {
        // Rows come, change and go.
        var store: EmbeddingStore? = try EmbeddingStore(
          at: directory.store(), space: TestRecords.space)
        // Several batches, and now and then a store that begins with a bulk copy of many.
        let added = Int.random(in: 0..<(round == 0 ? 6_000 : 1_200), using: &generator)
        try store?.put(TestRecords.records(next..<next + added, version: round))
        next += added
        if next > 100 {
          let start = Int.random(in: 0..<next - 100, using: &generator)
          try store?.put(TestRecords.records(start..<start + 50, version: round))
          try store?.remove((start + 50..<start + 80).map(TestRecords.key))
        }
        try store?.close()
        store = nil
        if round % 20 == 19 { print("\(round + 1) kills, \(next) rows so far") }
        let restarts = round * restartCount / killCount < (round + 1) * restartCount / killCount
        let path = directory.store().path(percentEncoded: false)
        let delay = Double.random(in: 0...0.6, using: &generator)
        let restart = Task {
          guard restarts else { return }
          try await Task.sleep(for: .seconds(delay / 2))
          try TestServer.restart()
        }
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [path = path as String, delay = delay as Double, name = namespace.name as String] in
          try await KilledPushTests.push(path, delay, name)
        }
        try await restart.value
      }
      let store = try EmbeddingStore(at: directory.store(), space: TestRecords.space)
      try await table.push(store, device: "phone", removingAtMost: 1)
      try await expectEqual(table, store)
    }

    /// Pushes until the process is killed, whatever the server does.
    private static func push(_ path: String, _ delay: Double, _ namespace: String) async throws {
      let store = try EmbeddingStore(at: URL(filePath: path), space: TestRecords.space)
      let table = try PostgresTable(
        PostgresSchema("photos", namespace: namespace, space: TestRecords.space),
        on: TestServer.server())
      Thread.detachNewThread {
        Thread.sleep(forTimeInterval: delay)
        kill(getpid(), SIGKILL)
      }
      while true {
        _ = try? await table.push(store, device: "phone", removingAtMost: 1)
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }
#endif
