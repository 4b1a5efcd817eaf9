import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Synchronization
import Testing

/// Copies of a store made while it is in use.
@Suite struct BackupTests {
  @Test func aBackupIsAWholeStoreOfItsOwn() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    try store.put(numberedRecords(0..<50, labels: ["a"]))
    try store.compact()
    try store.put(numberedRecords(40..<60))
    try store.remove(["k0"])
    let before = try DirectoryImage(directory.store())
    try store.backup(to: directory.store("backup"))
    #expect(try DirectoryImage(directory.store()) == before)
    let copy = try EmbeddingStore(at: directory.store("backup"), space: .small)
    #expect(try copy.statistics().deadRowCount == 0)
    #expect(try copy.statistics().journalRowCount == 0)
    #expect(
      try copy.search(for: axisVector(0), count: 100)
        == store.search(for: axisVector(0), count: 100))
    #expect(try copy.record(for: "k3") == store.record(for: "k3"))
    try copy.removeAll()
    #expect(try store.count() == 59)
    #expect(try copy.verify().isIntact)
  }

  @Test func aBackupHoldsOneMomentWhileOthersWrite() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    let isDone = Mutex(false)
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      var number = 0
      while !isDone.withLock({ $0 }) {
        // Both or neither: a backup must have as many of one as of the other.
        _ = try? store.put([
          Record(key: "a\(number)", vector: axisVector(number)),
          Record(key: "b\(number)", vector: axisVector(number)),
        ])
        if number % 50 == 49 { _ = try? store.compact() }
        number += 1
      }
      hasEnded.signal()
    }
    for number in 0..<10 {
      let url = directory.store("backup \(number)")
      try store.backup(to: url)
      let copy = try EmbeddingStore(readingAt: url)
      let keys = Set(try copy.keys())
      #expect(keys.count % 2 == 0)
      #expect(
        (0..<keys.count / 2).allSatisfy { keys.contains("a\($0)") && keys.contains("b\($0)") })
      #expect(try copy.verify().isIntact)
    }
    isDone.withLock { $0 = true }
    hasEnded.wait()
  }

  @Test func aBackupNeverTakesThePlaceOfSomething() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    try store.put(numberedRecords(0..<5))
    let file = directory.url.appending(path: "file")
    try Data("x".utf8).write(to: file)
    try store.backup(to: directory.store("backup"))
    let before = try DirectoryImage(directory.url)
    expectError(.alreadyExists, naming: "store") { try store.backup(to: directory.store()) }
    expectError(.alreadyExists, naming: "backup") {
      try store.backup(to: directory.store("backup"))
    }
    expectError(.alreadyExists) { try store.backup(to: directory.url) }
    expectError(.notADirectory, naming: "file") { try store.backup(to: file) }
    expectError(.notFound, naming: "missing") {
      try store.backup(to: directory.url.appending(path: "missing/backup"))
    }
    #expect(try DirectoryImage(directory.url) == before)
  }

  // qdrant #5983: a restore that failed left a half-made collection that ended the server at
  // its next start.
  @Test func aBackupThatFailsAtAnyCallLeavesNoStoreAndCanBeMadeAgain() throws {
    let memory = MemoryFileSystem()
    let faults = FaultyFileSystem(memory)
    let store = try EmbeddingStore.open(on: faults)
    try store.put(numberedRecords(0..<20))
    var number = 1
    while true {
      let url = URL(filePath: "/backup \(number)")
      faults.setFaults(.noSpace(nil, number: number))
      var isFailed = false
      do { try store.backup(to: url) } catch {
        #expect(error.code == .noSpace)
        isFailed = true
      }
      let failureCount = faults.failureCount
      faults.setFaults()
      #expect(try store.count() == 20)
      if isFailed {
        #expect(try memory.attributes(of: "\(url.path)/MANIFEST") == nil)
        try store.backup(to: url)
        let copy = try EmbeddingStore(
          memory, path: url.path, space: nil, isReadOnly: true, .manual)
        #expect(try copy.count() == 20)
      }
      if failureCount == 0 { break }
      number += 1
    }
    #expect(number > 20)
  }
}
