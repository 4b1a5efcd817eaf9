import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// A full or failing disk: typed errors, old data readable, and work goes on afterwards.
@Suite struct FailingDiskTests {
  let memory: MemoryFileSystem
  let faults: FaultyFileSystem

  init() {
    memory = MemoryFileSystem()
    faults = FaultyFileSystem(memory)
  }

  // annoy #379: on a full disk the index was cut short without a word.
  @Test func aFullDiskIsReportedAndTheNextWriteWorks() throws {
    let store = try EmbeddingStore.open(on: faults)
    try store.put(numberedRecords(0..<5))
    for _ in 0..<3 {
      faults.setFaults(.noSpace())
      let error = expectError(.noSpace, naming: "journal") {
        try store.put(numberedRecords(5..<10))
      }
      #expect(error?.systemErrorNumber == 28)
      #expect(error?.path?.contains("journal-") ?? false)
      #expect(try store.count() == 5)
      #expect(try store.search(for: axisVector(0)).count == 5)
      #expect(try EmbeddingStore.reader(on: memory).count() == 5)
    }
    faults.setFaults()
    try store.put(numberedRecords(5..<10))
    #expect(try store.count() == 10)
    #expect(try EmbeddingStore.reader(on: memory).count() == 10)
  }

  // qdrant #7813: removing points to make room filled the disk, and the server panicked.
  @Test func removingWorksOnAFullDisk() throws {
    let store = try EmbeddingStore.open(on: faults)
    try store.put(numberedRecords(0..<10))
    // Until the ballast is given back, every write fails.
    faults.setFaults(.noSpace(.write))
    #expect(try store.remove(["k1", "k2"]).removedCount == 2)
    #expect(faults.failureCount == 1)
    faults.setFaults(.noSpace(.write, isSticky: true))
    expectError(.noSpace) { try store.put(numberedRecords(10..<11)) }
    expectError(.noSpace) { try store.remove(["k3"]) }
    #expect(try store.count() == 8)
    faults.setFaults()
    try store.remove(["k3"])
    #expect(try EmbeddingStore.reader(on: memory).count() == 7)
    // A compaction fills the ballast up again.
    try store.compact()
    faults.setFaults(.noSpace(.write))
    #expect(try store.removeAll().removedCount == 7)
  }

  @Test func compactionRefusesPolitelyWhereThereIsNoRoom() throws {
    let store = try EmbeddingStore.open(on: NoRoom(base: memory))
    try store.put(numberedRecords(0..<10))
    let before = Set(try memory.list("/store"))
    expectError(.noSpace, naming: "free space", "/store") { try store.compact() }
    #expect(Set(try memory.list("/store")) == before)
    try store.put(numberedRecords(10..<11))
    #expect(try store.count() == 11)
  }

  // Found by filling real volumes: what had been removed was counted as if it were to be copied, so
  // that a store that had been emptied for want of room could not give the room back.
  @Test func compactionAsksForRoomForWhatIsLiveOnly() throws {
    let store = try EmbeddingStore.open(on: NoRoom(base: memory, byteCount: 200_000))
    var records = numberedRecords(0..<100)
    for index in records.indices { records[index].metadata = Data(count: 10_000) }
    try store.put(records)
    expectError(.noSpace) { try store.compact() }
    try store.remove(records.dropFirst().map(\.key))
    #expect(try store.compact())
    #expect(try store.keys() == ["k0"])
  }

  // PostgreSQL's "fsyncgate": a second sync can succeed without having written anything.
  @Test(arguments: [Durability.orderedPowerLoss, .powerLoss])
  func aFailedSyncIsRememberedUntilTheStoreIsOpenedAgain(durability: Durability) throws {
    var configuration = StoreConfiguration.manual
    configuration.durability = durability
    var store: EmbeddingStore? = try .open(on: faults, configuration: configuration)
    try store?.put(numberedRecords(0..<5))
    faults.setFaults(.inputOutput(.sync))
    expectError(.inputOutput) { try store?.put(numberedRecords(5..<6)) }
    for _ in 0..<2 {
      let error = expectError(.previousInputOutputError, naming: "again", "journal") {
        try store?.put(numberedRecords(6..<7))
      }
      #expect(error?.systemErrorNumber == 5)
      expectError(.previousInputOutputError) { try store?.remove(["k1"]) }
      expectError(.previousInputOutputError) { try store?.compact() }
      expectError(.previousInputOutputError) { try store?.synchronize() }
      #expect(try store?.count() == 5)
      #expect(try store?.search(for: axisVector(0)).count == 5)
    }
    #expect(faults.failureCount == 1)
    store = nil
    store = try .open(on: faults, configuration: configuration)
    let count = try #require(try store?.count())
    // The commit that failed may have reached the file; those before it have.
    #expect(count == 5 || count == 6)
    let journals = try memory.list("/store").filter { $0.hasPrefix("journal-") }
    try store?.put(numberedRecords(7..<8))
    // Everything goes to a new file: the old one is in doubt.
    #expect(try memory.list("/store").filter { $0.hasPrefix("journal-") } != journals)
    #expect(try EmbeddingStore.reader(on: memory).count() == count + 1)
    #expect(try store?.verify().isIntact ?? false)
  }

  @Test func aSynchronizeThatFailsIsRememberedToo() throws {
    let store = try EmbeddingStore.open(on: faults)
    try store.put(numberedRecords(0..<5))
    faults.setFaults(.inputOutput(.sync))
    expectError(.inputOutput) { try store.synchronize() }
    expectError(.previousInputOutputError) { try store.put(numberedRecords(5..<6)) }
    #expect(try store.count() == 5)
    // Once, closing said that everything was on the medium here.
    expectError(.previousInputOutputError) { try store.close() }
    try store.close()
    expectError(.closed) { _ = try store.count() }
    #expect(try EmbeddingStore.open(on: faults).count() == 5)
  }

  // Found by the campaign of failing calls: on a store opened again after a failed sync,
  // synchronizing synced the same file again, which can succeed without having written anything.
  @Test func synchronizingAfterAFailedSyncWritesTheJournalAnew() throws {
    var store: EmbeddingStore? = try .open(on: faults)
    try store?.put(numberedRecords(0..<5))
    faults.setFaults(.inputOutput(.sync))
    expectError(.inputOutput) { try store?.synchronize() }
    let journals = try memory.list("/store").filter { $0.hasPrefix("journal-") }
    store = nil
    store = try .open(on: faults)
    try store?.synchronize()
    #expect(try memory.list("/store").filter { $0.hasPrefix("journal-") } != journals)
    #expect(try store?.count() == 5)
    #expect(try EmbeddingStore.reader(on: memory).count() == 5)
  }

  // RocksDB PR 6331: after a failed append more was appended, and data was lost at the next
  // opening.
  @Test func aWriteThatCanNotBeTakenBackEndsWriting() throws {
    var store: EmbeddingStore? = try .open(on: faults)
    try store?.put(numberedRecords(0..<5))
    faults.setFaults(.inputOutput(.write), .inputOutput(.truncate))
    expectError(.inputOutput) { try store?.put(numberedRecords(5..<6)) }
    #expect(faults.failureCount == 2)
    expectError(.previousInputOutputError) { try store?.put(numberedRecords(6..<7)) }
    #expect(try store?.count() == 5)
    store = nil
    store = try .open(on: memory)
    #expect(try store?.count() == 5)
    #expect((store?.openReport.unfinishedByteCount ?? 0) > 0)
    try store?.put(numberedRecords(6..<7))
    #expect(try EmbeddingStore.reader(on: memory).count() == 6)
  }

  // mapbox-gl-native #6205: a start in the background while the device was locked ended in an
  // uncaught exception.
  @Test func aLockedDeviceIsReportedAndTryingAgainWorks() throws {
    do {
      let store = try EmbeddingStore.open(on: memory)
      try store.put(numberedRecords(0..<5))
    }
    faults.setFaults(.protected(isSticky: true))
    for _ in 0..<2 {
      let error = expectError(.protectedDataUnavailable) { _ = try EmbeddingStore.open(on: faults) }
      #expect(error?.systemErrorNumber == 1)
    }
    faults.setFaults()
    let store = try EmbeddingStore.open(on: faults)
    #expect(try store.count() == 5)
    faults.setFaults(.protected(isSticky: true))
    expectError(.protectedDataUnavailable) { try store.put(numberedRecords(5..<6)) }
    faults.setFaults()
    try store.put(numberedRecords(5..<6))
    #expect(try store.count() == 6)
  }

  // Fails every call in turn while a store is created, written, compacted, read and closed. Found by
  // these tests: when the lock could not be released, a commit that was stored was called failed.
  @Test(arguments: [false, true])
  func whicheverCallFailsNoCommitIsLost(isSticky: Bool) throws {
    var number = 1
    while true {
      let memory = MemoryFileSystem()
      let faults = FaultyFileSystem(memory)
      faults.setFaults(.inputOutput(nil, number: number, isSticky: isSticky))
      var model: Set<String> = []
      var doubtful: Set<String> = []
      do {
        var configuration = StoreConfiguration.manual
        configuration.lockTimeout = .zero
        configuration.durability = .powerLoss
        let store = try EmbeddingStore.open(on: faults, configuration: configuration)
        for round in 0..<3 {
          let records = numberedRecords(round * 2..<round * 2 + 2)
          do {
            try store.put(records)
            model.formUnion(records.map(\.key))
          } catch {
            doubtful.formUnion(records.map(\.key))
          }
          if round == 1 { _ = try? store.compact() }
          #expect(Set(try store.keys()) == model, "call \(number)")
        }
        try? store.close()
      } catch {
        #expect(error is StoreError)
        #expect(model.isEmpty)
      }
      let failureCount = faults.failureCount
      faults.setFaults()
      let store = try EmbeddingStore.open(on: faults)
      let keys = Set(try store.keys())
      #expect(keys.isSuperset(of: model), "call \(number)")
      #expect(keys.isSubset(of: model.union(doubtful)), "call \(number)")
      #expect(try store.verify().isIntact, "call \(number)")
      try store.put(numberedRecords(9..<10))
      try store.compact()
      #expect(Set(try store.keys()) == keys.union(["k9"]))
      let names = try memory.list("/store")
      #expect(names.count == 4, "call \(number): \(names)")
      if failureCount == 0 { break }
      number += 1
    }
    print("whicheverCallFailsNoCommitIsLost(isSticky: \(isSticky)): \(number - 1) calls failed")
    #expect(number > 60)
  }
}

extension EmbeddingStore {
  static func reader(on fileSystem: any FileSystem) throws -> EmbeddingStore {
    try EmbeddingStore(fileSystem, path: "/store", space: nil, isReadOnly: true, .manual)
  }
}
