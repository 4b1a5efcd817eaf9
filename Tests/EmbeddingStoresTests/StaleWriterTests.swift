import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// A writer that does not know, or must not believe, what the files show.
@Suite struct StaleWriterTests {
  static let space = EmbeddingSpace(model: "worker", dimension: 8)

  // Found by reading: closing published the manifest that the object had read last, and so put a
  // generation back in force that another process had compacted away.
  @Test func closingLeavesWhatAnotherProcessCompactedInForce() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: Self.space)
    try store.put(Record(key: "ours", vector: RandomVectors.vector(number: 1, dimension: 8)))
    let worker = try Worker(["serve", directory.store().path])
    #expect(worker.readLine() == "ready")
    #expect(try worker.ask("compact") == "ok")
    #expect(try worker.ask("put theirs 2") == "ok")
    #expect(try worker.ask("remove ours") == "ok")
    try store.close()
    #expect(try worker.ask("put later 3") == "ok")
    let reopened = try EmbeddingStore(readingAt: directory.store())
    #expect(Set(try reopened.keys()) == ["theirs", "later"])
    #expect(try reopened.verify().isIntact)
  }

  // Found by reading: that a sync had failed was known only to the process in which it did.
  @Test func aFailedSyncIsNotedForOtherProcesses() throws {
    let memory = MemoryFileSystem()
    let faults = FaultyFileSystem(memory)
    var configuration = StoreConfiguration.manual
    configuration.durability = .powerLoss
    func doubt() throws -> UInt8? {
      try memory.open("/store/LOCK", .read).read(at: 0, byteCount: 1).first
    }
    var store: EmbeddingStore? = try .open(on: faults, configuration: configuration)
    try store?.put(numberedRecords(0..<5))
    #expect(try doubt() == 0)
    faults.setFaults(.inputOutput(.sync))
    expectError(.inputOutput) { try store?.put(numberedRecords(5..<6)) }
    #expect(try doubt() == 1)
    // The failed commit is in the file, and must not be taken in by the one that knows better.
    expectError(.previousInputOutputError) { try store?.refresh() }
    #expect(try store?.count() == 5)
    store = nil
    let journals = try memory.list("/store").filter { $0.hasPrefix("journal-") }
    store = try .open(on: faults, configuration: configuration)
    try store?.put(numberedRecords(7..<8))
    #expect(try memory.list("/store").filter { $0.hasPrefix("journal-") } != journals)
    #expect(try doubt() == 0)
  }

  // Found by reading: a store that was opened again and not yet written to synchronised nothing.
  @Test func synchronizingReachesCommitsOfAnEarlierProcess() throws {
    let memory = MemoryFileSystem()
    let faults = FaultyFileSystem(memory)
    var store: EmbeddingStore? = try .open(on: faults)
    try store?.put(numberedRecords(0..<5))
    store = nil
    store = try .open(on: faults)
    let before = faults.count(of: .sync)
    try store?.synchronize()
    #expect(faults.count(of: .sync) == before + 1)
    try store?.prepareForSuspension()
    #expect(faults.count(of: .sync) == before + 1)
  }

  @Test func aStoreInMemoryIsBackedUpToTheDisk() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(inMemory: .small)
    try store.put(numberedRecords(0..<5))
    try store.backup(to: directory.store())
    #expect(try EmbeddingStore(readingAt: directory.store()).count() == 5)
  }

  @Test func aListenerLearnsOfWhatACompactionTookIn() async throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: Self.space)
    var changes = store.changes.makeAsyncIterator()
    let worker = try Worker(["serve", directory.store().path])
    #expect(worker.readLine() == "ready")
    #expect(try worker.ask("put theirs 2") == "ok")
    let isCompacted = try store.compactSynchronously()
    #expect(isCompacted)
    #expect(await changes.next()?.changeNumber == (try store.snapshot().changeNumber))
  }
}

extension EmbeddingStore {
  /// `compact` on this thread, also from an asynchronous context.
  fileprivate func compactSynchronously() throws -> Bool { try compact() }
}
