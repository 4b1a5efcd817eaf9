import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// Who may write: one store object per process, and one process at a time.
@Suite struct WriterTests {
  @Test func aSecondWriterInThisProcessIsRefused() throws {
    let directory = try TemporaryDirectory()
    var first: EmbeddingStore? = try EmbeddingStore(at: directory.store(), space: .small)
    try first?.put(numberedRecords(0..<3))
    let before = try DirectoryImage(directory.url)
    let link = directory.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory.store())
    for url in [directory.store(), link] {
      expectError(.alreadyOpenForWriting, naming: url.lastPathComponent) {
        _ = try EmbeddingStore(at: url, space: .small)
      }
    }
    let reader = try EmbeddingStore(readingAt: link)
    #expect(try reader.count() == 3)
    try FileManager.default.removeItem(at: link)
    #expect(try DirectoryImage(directory.url) == before)
    first = nil
    #expect(try EmbeddingStore(at: directory.store(), space: .small).count() == 3)
  }

  @Test func storesInMemoryAreApart() throws {
    let first = try EmbeddingStore(inMemory: .small)
    let second = try EmbeddingStore(inMemory: .small)
    try first.put(numberedRecords(0..<3))
    #expect(try second.count() == 0)
  }

  // chroma #7040: the second opener hung for 16 minutes.
  @Test func aLockHeldElsewhereIsReportedWithinTheTimeOut() throws {
    let directory = try TemporaryDirectory()
    var configuration = StoreConfiguration()
    configuration.lockTimeout = .milliseconds(100)
    let store = try EmbeddingStore(
      at: directory.store(), space: .small, configuration: configuration)
    try store.put(numberedRecords(0..<3))
    let worker = try Worker(["lock", directory.store().path])
    #expect(worker.readLine() == "locked")
    let before = try DirectoryImage(directory.url)
    let calls: [() throws -> Void] = [
      { try store.put(numberedRecords(3..<4)) },
      { try store.remove(["k1"]) },
      { try store.update([RecordUpdate(key: "k1", text: .set("t"))]) },
      { try store.compact() },
    ]
    for call in calls {
      let time = ContinuousClock().measure { expectError(.locked, naming: "store") { try call() } }
      #expect(time >= .milliseconds(100) && time < .seconds(3))
    }
    // Reading needs no lock.
    #expect(try store.count() == 3)
    #expect(try EmbeddingStore(readingAt: directory.store()).search(for: axisVector(0)).count == 3)
    try store.refresh()
    #expect(try DirectoryImage(directory.url) == before)
    worker.kill()
    try store.put(numberedRecords(3..<4))
    #expect(try store.count() == 4)
  }

  @Test func aLockGivenUpInTimeIsWaitedFor() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    try store.put(numberedRecords(0..<3))
    let worker = try Worker(["lock", directory.store().path])
    #expect(worker.readLine() == "locked")
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { worker.kill() }
    try store.put(numberedRecords(3..<4))
    #expect(try store.count() == 4)
  }

  #if os(Linux)
    // GRDB #957, #998, #1626; session-ios #415: apps were killed at suspension for holding a
    // lock in a shared container.
    @Test func noLockIsHeldBetweenCalls() throws {
      let directory = try TemporaryDirectory()
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      func isLocked() throws -> Bool {
        let lock = directory.store().appending(path: "LOCK")
        let attributes = try FileManager.default.attributesOfItem(atPath: lock.path)
        let inode = try #require(attributes[.systemFileNumber] as? UInt64)
        let locks = try String(contentsOf: URL(filePath: "/proc/locks"), encoding: .utf8)
        return locks.contains(":\(inode) ")
      }
      try store.put(numberedRecords(0..<3))
      #expect(try !isLocked())
      try store.remove(["k0"])
      #expect(try !isLocked())
      expectError(.notFound) { try store.update([RecordUpdate(key: "unknown", text: .removed)]) }
      #expect(try !isLocked())
      try store.compact()
      #expect(try !isLocked())
      try store.put(numberedRecords(0..<3))
      try store.prepareForSuspension()
      #expect(try !isLocked())
      try store.close()
      #expect(try !isLocked())
      // The check itself sees a lock that is held.
      let worker = try Worker(["lock", directory.store().path])
      #expect(worker.readLine() == "locked")
      #expect(try isLocked())
      worker.kill()
    }
  #endif
}
