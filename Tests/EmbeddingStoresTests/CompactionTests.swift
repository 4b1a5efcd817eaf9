import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Synchronization
import Testing

/// Compaction: what it leaves, when it runs, and what a failure in it does.
@Suite struct CompactionTests {
  // zvec #594, #673; duckdb-vss #81: a compaction that was cut short lost rows, or
  // left a directory that could not be opened.
  @Test func aCompactionThatFailsAtAnyCallLeavesTheStoreAsItWas() throws {
    for fault in [FaultyFileSystem.Fault.inputOutput(nil), .noSpace(nil)] {
      var number = 1
      while true {
        let memory = MemoryFileSystem()
        let faults = FaultyFileSystem(memory)
        var store: EmbeddingStore? = try .open(on: faults)
        try store?.put(numberedRecords(0..<20))
        try store?.compact()
        try store?.put(numberedRecords(10..<30))
        try store?.remove(["k0", "k15"])
        let expected = try #require(try store?.search(for: axisVector(0), count: 100))
        let snapshot = try #require(try store?.snapshot())
        var due = fault
        due.number = number
        faults.setFaults(due)
        let isFailed = (try? store?.compact()) == nil
        let failureCount = faults.failureCount
        faults.setFaults()
        #expect(try store?.search(for: axisVector(0), count: 100) == expected)
        #expect(try snapshot.search(for: axisVector(0), count: 100) == expected)
        // Either the store works on, or it says that it is in doubt.
        do {
          try store?.put(numberedRecords(50..<51))
        } catch {
          #expect(error.code == .previousInputOutputError && isFailed, "call \(number): \(error)")
        }
        let keys = Set(try #require(try store?.keys()))
        store = nil
        store = try .open(on: memory)
        #expect(Set(try store?.keys() ?? []) == keys, "call \(number)")
        #expect(try store?.verify().isIntact ?? false, "call \(number)")
        try store?.put(numberedRecords(60..<61))
        try store?.compact()
        #expect(try store?.count() == keys.count + 1)
        let names = try memory.list("/store")
        #expect(names.count == 4, "call \(number): \(names)")
        if failureCount == 0 { break }
        number += 1
      }
      #expect(number > 30)
    }
  }

  @Test func aSnapshotOutlivesCompactionsAndTheirUnlinking() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    try store.put(numberedRecords(0..<50))
    try store.compact()
    try store.put(numberedRecords(50..<60))
    let snapshot = try store.snapshot()
    let before = try snapshot.search(for: axisVector(0), count: 100)
    try store.removeAll()
    try store.compact()
    #expect(try store.count() == 0)
    #expect(snapshot.count == 60)
    #expect(try snapshot.search(for: axisVector(0), count: 100) == before)
    #expect(try snapshot.records(for: "k55").count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.store().path).count == 4)
  }

  @Test func nothingToDoIsSaidAndChangesNothing() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    #expect(try !store.compact())
    try store.put(numberedRecords(0..<5))
    #expect(try store.compact())
    let before = try DirectoryImage(directory.url)
    #expect(try !store.compact())
    #expect(try DirectoryImage(directory.url) == before)
    try store.remove(["k0"])
    #expect(try store.compact())
    #expect(try store.statistics().deadRowCount == 0)
  }

  @Test func progressGrowsToAllRowsAndWritingGoesOnMeanwhile() throws {
    let store = try EmbeddingStore(inMemory: .small, configuration: .manual)
    try store.put(numberedRecords(0..<3_000))
    let seen = Mutex<[CompactionProgress]>([])
    try store.compact { progress in
      seen.withLock { $0.append(progress) }
      let number = 10_000 + progress.completedRowCount
      _ = try? store.put(numberedRecords(number..<number + 1))
      _ = try? store.remove(["k\(progress.completedRowCount - 1)"])
      #expect((try? store.search(for: axisVector(0)).count) == 10)
      expectError(.compactionInProgress) { try store.compact() }
    }
    let progress = seen.withLock { $0 }
    #expect(progress.count > 1)
    #expect(progress.allSatisfy { $0.totalRowCount == 3_000 })
    #expect(
      zip(progress, progress.dropFirst()).allSatisfy {
        $0.completedRowCount <= $1.completedRowCount
      })
    #expect(progress.last?.completedRowCount == 3_000)
    #expect(try store.count() == 3_000)
    for step in progress {
      #expect(try store.contains("k\(10_000 + step.completedRowCount)"))
      #expect(try !store.contains("k\(step.completedRowCount - 1)"))
    }
    #expect(try store.verify().isIntact)
  }

  @Test func theJournalsSizeTriggersACompaction() throws {
    var configuration = StoreConfiguration()
    configuration.compaction.journalByteCount = 5_000
    let store = try EmbeddingStore(inMemory: .small, configuration: configuration)
    var generations: Set<UInt64> = []
    for number in 0..<200 {
      try store.put(numberedRecords(number..<number + 1))
      #expect(!store.needsCompaction)
      #expect(try store.statistics().journalByteCount <= 5_000)
      generations.insert(try store.statistics().generation)
    }
    #expect(generations.count > 3 && generations.count < 20)
    #expect(try store.count() == 200)
  }

  @Test func byDefaultAJournalOfEightMebibytesTriggersACompactionOfASmallStore() throws {
    let store = try EmbeddingStore(inMemory: .small)
    let generation = try store.statistics().generation
    let text = String(repeating: "text", count: 16 << 10)
    var largest = 0
    for number in 0..<140 where try store.statistics().generation == generation {
      largest = max(largest, try store.statistics().journalByteCount)
      var record = numberedRecords(number..<number + 1)[0]
      record.text = text
      try store.put(record)
    }
    #expect(try store.statistics().generation == generation + 1)
    #expect(largest > (8 << 20) - (128 << 10) && largest <= 8 << 20)
    #expect(try store.statistics().journalByteCount < 4_096)
  }

  @Test func theShareOfDeadRowsTriggersACompaction() throws {
    var configuration = StoreConfiguration()
    configuration.compaction.deadShare = 0.25
    let store = try EmbeddingStore(inMemory: .small, configuration: configuration)
    try store.put(numberedRecords(0..<1_024))
    try store.remove((0..<256).map { "k\($0)" })
    #expect(try store.statistics().deadRowCount == 256)
    #expect(!store.needsCompaction)
    try store.remove(["k500"])
    #expect(try store.statistics().deadRowCount == 0)
    #expect(try store.count() == 1_024 - 257)
    // Below 1,024 rows the share does not matter.
    try store.removeAll()
    #expect(try store.statistics().deadRowCount == 767)
    #expect(!store.needsCompaction)
  }

  @Test func performDecidesWhenACompactionRuns() throws {
    let waiting = Mutex<[@Sendable () -> Void]>([])
    var configuration = StoreConfiguration()
    configuration.compaction = CompactionPolicy(journalByteCount: 1_000) { compaction in
      waiting.withLock { $0.append(compaction) }
    }
    let store = try EmbeddingStore(inMemory: .small, configuration: configuration)
    try store.put(numberedRecords(0..<20))
    #expect(store.needsCompaction)
    #expect(try store.statistics().generation == 1)
    let compactions = waiting.withLock { $0 }
    #expect(compactions.count == 1)
    compactions.forEach { $0() }
    #expect(!store.needsCompaction)
    #expect(try store.statistics().generation == 2)
    // Running it again does nothing, and neither does it once the store is closed.
    compactions.forEach { $0() }
    #expect(try store.statistics().generation == 2)
    try store.close()
    compactions.forEach { $0() }
    #expect(store.lastCompactionError == nil)
  }

  @Test func anAutomaticCompactionThatFailsIsRememberedAndTheCommitHolds() throws {
    let faults = FaultyFileSystem(MemoryFileSystem())
    var configuration = StoreConfiguration()
    configuration.compaction.journalByteCount = 1_000
    let store = try EmbeddingStore.open(on: faults, configuration: configuration)
    faults.setFaults(.noSpace(.measureSpace, isSticky: true))
    try store.put(numberedRecords(0..<20))
    #expect(store.lastCompactionError?.code == .noSpace)
    #expect(try store.count() == 20)
    faults.setFaults()
    // It is tried again when the journal has grown by a quarter of the limit.
    try store.put(numberedRecords(20..<21))
    #expect(store.lastCompactionError?.code == .noSpace)
    try store.put(numberedRecords(21..<24))
    #expect(store.lastCompactionError == nil)
    #expect(try store.statistics().journalRowCount == 0)
    #expect(try store.count() == 24)
  }

  @Test func anAppBeingSuspendedEndsACompactionAndHoldsNothing() throws {
    let directory = try TemporaryDirectory()
    let store = try EmbeddingStore(at: directory.store(), space: .small, configuration: .manual)
    try store.put(numberedRecords(0..<4_000))
    let hasStarted = DispatchSemaphore(value: 0)
    let outcome = Mutex<StoreError?>(nil)
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do throws(StoreError) {
        try store.compact { progress in
          hasStarted.signal()
          // Slow enough for the suspension to come in between.
          Thread.sleep(forTimeInterval: progress.completedRowCount < 2_000 ? 0.3 : 0.01)
        }
      } catch {
        outcome.withLock { $0 = error }
      }
      hasEnded.signal()
    }
    hasStarted.wait()
    try store.prepareForSuspension()
    hasEnded.wait()
    #expect(outcome.withLock { $0 }?.code == .cancelled)
    #expect(try store.statistics().generation == 1)
    #expect(try store.count() == 4_000)
    #expect(try store.compact())
  }
}
