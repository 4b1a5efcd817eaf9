import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingPostgres

#if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
  @Suite(.needsServer, .serialized) struct KilledPushTests {
    /// A process that pushes is killed at a random moment, again and again, while its store changes
    /// between; in the end both sides are equal.
    ///
    /// `EMBEDDING_TEST_KILLS` sets how often; `EMBEDDING_TEST_RESTARTS`, how often the server is stopped
    /// meanwhile, as by a crash, and started again: it stops for other tests, too, so they must not run
    /// then.
    @Test func aPushKilledAtAnyMomentGoesOnWithoutLoss() async throws {
      let killCount = Self.number("EMBEDDING_TEST_KILLS") ?? 5
      let restartCount = Self.number("EMBEDDING_TEST_RESTARTS") ?? 0
      var generator = SeededGenerator("KilledPushTests", seed: 7)
      let namespace = try TestNamespace()
      let table = try await namespace.table()
      let directory = try TemporaryDirectory()
      var pushed: Int64 = 0
      var (movedCount, finishedCount) = (0, 0)
      for round in 0..<killCount {
        let goal = try Self.change(directory.store(), round: round, using: &generator)
        let restarts =
          round * restartCount / killCount < (round + 1) * restartCount / killCount
        let path = directory.store().path(percentEncoded: false)
        let delay = Double.random(in: 0...0.5, using: &generator)
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
        let watermark = try namespace.run(
          "SELECT pushed::text FROM \(namespace.name).photos_devices")
        let now = watermark.first.flatMap { $0.flatMap { Int64($0) } } ?? 0
        if now == goal { finishedCount += 1 } else if now > pushed { movedCount += 1 }
        pushed = now
      }
      let others = killCount - movedCount - finishedCount
      print(
        "\(killCount) kills: \(others) before a batch was done, \(movedCount) between batches, "
          + "\(finishedCount) after the last one")
      #expect(others + movedCount > 0, "No kill came in time to interrupt anything.")
      let store = try EmbeddingStore(at: directory.store(), space: TestRecords.space)
      try await table.push(store, device: "phone", removingAtMost: 1)
      try await expectEqual(table, store)
    }

    private static func number(_ variable: String) -> Int? {
      ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
    }

    /// Rows come, change and go, some batches of them; answers the store's change number.
    private static func change(
      _ url: URL, round: Int, using generator: inout SeededGenerator
    ) throws -> Int64 {
      let store = try EmbeddingStore(at: url, space: TestRecords.space)
      // The first time it is a bulk copy.
      let count = Int.random(in: round == 0 ? 5_000..<6_000 : 1..<2_500, using: &generator)
      let start = Int.random(in: 0..<6_000, using: &generator)
      try store.put(TestRecords.records(start..<start + count, version: round))
      let gone = Int.random(in: 0..<8_000, using: &generator)
      try store.remove((gone..<gone + 80).map(TestRecords.key))
      let goal = try store.snapshot().changeNumber
      try store.close()
      return Int64(goal)
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
