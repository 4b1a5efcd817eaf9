import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// One store in two processes: they take turns writing, and see each other's commits.
@Suite struct SharedStoreTests {
  static let space = EmbeddingSpace(model: "worker", dimension: 8)
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func bothProcessesWriteAndSeeEverything() throws {
    let store = try EmbeddingStore(at: directory.store(), space: Self.space)
    let reader = try EmbeddingStore(readingAt: directory.store())
    let worker = try Worker(["serve", directory.store().path])
    #expect(worker.readLine() == "ready")
    for round in 0..<20 {
      #expect(try worker.ask("put theirs-\(round) \(round)") == "ok")
      if round % 3 == 0 {
        #expect(try store.refresh())
        #expect(try !store.refresh())
        #expect(try store.record(for: "theirs-\(round)")?.text == "\(round)")
      }
      try store.put(
        Record(key: "ours-\(round)", vector: RandomVectors.vector(number: round, dimension: 8)))
      // A write takes in what others committed.
      #expect(try store.contains("theirs-\(round)"))
      #expect(try worker.ask("refresh") == "ok")
      if round % 7 == 6 { #expect(try worker.ask("compact") == "ok") }
      if round % 5 == 4 { try store.compact() }
      if round % 4 == 3 { #expect(try worker.ask("remove ours-\(round)") == "ok") }
      #expect(try reader.refresh())
      try store.refresh()
      #expect(Set(try reader.keys()) == Set(try store.keys()))
      #expect(try worker.ask("count") == "\(try store.count())")
    }
    #expect(try store.count() == 35)
    #expect(try reader.verify().isIntact)
    #expect(try worker.ask("close") == "ok")
    worker.kill()
    #expect(try store.verify().isIntact)
  }

  @Test func aSnapshotDoesNotSeeWhatAnotherProcessDoesLater() throws {
    let worker = try Worker(["serve", directory.store().path])
    #expect(worker.readLine() == "ready")
    #expect(try worker.ask("put a 1") == "ok")
    let reader = try EmbeddingStore(readingAt: directory.store())
    let snapshot = try reader.snapshot()
    #expect(try worker.ask("remove a") == "ok")
    #expect(try worker.ask("compact") == "ok")
    #expect(try reader.contains("a"))
    try reader.refresh()
    #expect(try !reader.contains("a"))
    #expect(try snapshot.record(for: "a")?.text == "1")
  }

  @Test func aStoreMayBeOpenedWhileAnotherProcessCompactsAllTheTime() throws {
    let worker = try Worker(["append-and-compact", directory.store().path])
    #expect(worker.readLine() == "starting")
    #expect(worker.readLine() == "0")
    var last = 0
    for _ in 0..<60 {
      let reader = try EmbeddingStore(readingAt: directory.store())
      let text = try #require(try reader.record(for: "latest")?.text)
      let number = try #require(Int(text))
      #expect(number >= last)
      #expect(try reader.count() == number + 2)
      #expect(try reader.search(for: axisVector(0), count: 5).count == min(5, number + 2))
      last = number
    }
    let reader = try EmbeddingStore(readingAt: directory.store())
    for _ in 0..<60 {
      try reader.refresh()
      #expect(try reader.count() == (Int(try reader.record(for: "latest")?.text ?? "") ?? -9) + 2)
    }
    worker.kill()
  }
}
