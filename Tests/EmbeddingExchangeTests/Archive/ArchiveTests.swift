import EmbeddingFiles
import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Synchronization
import Testing

@testable import EmbeddingExchange

/// An archive is the store, whole or refused.
@Suite struct ArchiveTests {
  private let directory: TemporaryDirectory
  private let archive: URL

  init() throws {
    directory = try TemporaryDirectory()
    archive = directory.url.appending(path: "store.archive", directoryHint: .notDirectory)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() }
  }

  private func store(_ rowCount: Int, dimension: Int = 4) throws -> EmbeddingStore {
    let store = try EmbeddingStore(
      at: directory.store(), space: EmbeddingSpace(model: "test", dimension: dimension))
    try store.put(
      (0..<rowCount).map { number in
        Record(
          key: "k\(number)", vector: RandomVectors.vector(number: number, dimension: dimension),
          part: UInt16(number % 2), timestamp: Date(timeIntervalSince1970: Double(number)),
          labels: number % 3 == 0 ? ["a"] : [],
          metadata: number % 5 == 0 ? Data([UInt8(number & 0xff)]) : nil,
          text: number % 7 == 0 ? String(repeating: "text \(number) ", count: 50) : nil,
          revision: Revision("\(number)"))
      })
    return store
  }

  @Test func aRestoredStoreIsTheSame() throws {
    let store = try store(3_000, dimension: 96)
    try store.compact()
    try store.remove(["k1", "k2"])
    try store.put(Record(key: "new", vector: RandomVectors.vector(number: -1, dimension: 96)))
    let before = try DirectoryImage(directory.store())
    var progress: [ArchiveProgress] = []
    try store.archive(to: archive) { progress.append($0) }
    #expect(try DirectoryImage(directory.store()) == before)
    #expect(try names == ["store", "store.archive"])
    let total = try #require(progress.last?.totalByteCount)
    #expect(total > 3_000 * 192 && progress.map(\.completedByteCount).last == total)
    #expect(progress.map(\.completedByteCount) == progress.map(\.completedByteCount).sorted())

    try EmbeddingStore.restore(archive, to: directory.store("copy"))
    #expect(try names == ["copy", "store", "store.archive"])
    let copy = try EmbeddingStore(at: directory.store("copy"), space: store.space)
    #expect(try copy.verify().isIntact)
    #expect(try copy.count() == 2_999)
    for row in try store.rows(changedSince: 0) {
      #expect(
        try copy.record(for: row.key, part: row.part)
          == store.record(for: row.key, part: row.part))
    }
    try copy.removeAll()
    #expect(try store.count() == 2_999)
  }

  @Test func storesInMemoryAndReadOnlyOnesAreArchivedToo() throws {
    let space = EmbeddingSpace(model: "test", dimension: 2)
    let memory = try EmbeddingStore(inMemory: space)
    try memory.put(Record(key: "a", vector: [1, 0]))
    try memory.archive(to: archive)
    try EmbeddingStore.restore(archive, to: directory.store())
    let reading = try EmbeddingStore(readingAt: directory.store())
    #expect(try reading.keys() == ["a"])
    let second = directory.url.appending(path: "second")
    try reading.archive(to: second)
    try EmbeddingStore.restore(second, to: directory.store("copy"))
    #expect(try EmbeddingStore(readingAt: directory.store("copy")).keys() == ["a"])
  }

  @Test func anArchiveHoldsOneMomentWhileOthersWrite() throws {
    let store = try store(0)
    let isDone = Mutex(false)
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      var number = 0
      while !isDone.withLock({ $0 }) {
        // Both or neither: an archive must have as many of one as of the other.
        let vector = RandomVectors.vector(number: number, dimension: 4)
        _ = try? store.put([
          Record(key: "a\(number)", vector: vector), Record(key: "b\(number)", vector: vector),
        ])
        if number % 50 == 49 { _ = try? store.compact() }
        number += 1
      }
      hasEnded.signal()
    }
    for number in 0..<5 {
      let archive = directory.url.appending(path: "archive \(number)")
      try store.archive(to: archive)
      try EmbeddingStore.restore(archive, to: directory.store("copy \(number)"))
      let copy = try EmbeddingStore(readingAt: directory.store("copy \(number)"))
      let keys = Set(try copy.keys())
      #expect(keys.count % 2 == 0)
      #expect((0..<keys.count / 2).allSatisfy { keys.isSuperset(of: ["a\($0)", "b\($0)"]) })
      #expect(try copy.verify().isIntact)
    }
    isDone.withLock { $0 = true }
    hasEnded.wait()
  }

  @Test func nothingIsReplaced() throws {
    let store = try store(3)
    try store.archive(to: archive)
    let before = try DirectoryImage(directory.url)
    expectError(.alreadyExists, naming: "store.archive") { try store.archive(to: archive) }
    expectError(.alreadyExists) { try store.archive(to: directory.store()) }
    expectError(.alreadyExists, naming: "store") {
      try EmbeddingStore.restore(archive, to: directory.store())
    }
    expectError(.alreadyExists) { try EmbeddingStore.restore(archive, to: archive) }
    expectError(.notFound) {
      try EmbeddingStore.restore(archive, to: directory.url.appending(path: "none/store"))
    }
    expectError(.notFound) { try store.archive(to: directory.url.appending(path: "none/archive")) }
    expectError(.notFound, naming: "none") {
      try EmbeddingStore.restore(
        directory.url.appending(path: "none"), to: directory.store("copy"))
    }
    #expect(try DirectoryImage(directory.url) == before)
    #expect(try names == ["store", "store.archive"])
  }

  // A link that leads nowhere is something too, although looking for what is there finds nothing.
  @Test func aLinkThatLeadsNowhereIsNotReplaced() throws {
    let store = try store(3)
    try store.archive(to: archive)
    let link = directory.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: directory.url.appending(path: "none").path)
    expectError(.alreadyExists, naming: "link") { try store.archive(to: link) }
    expectError(.alreadyExists, naming: "link") { try EmbeddingStore.restore(archive, to: link) }
    #expect(try names == ["link", "store", "store.archive"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path).hasSuffix("none"))
  }

  @Test func whatAppearsMeanwhileIsNotReplaced() throws {
    let store = try store(3)
    let (archive, copy) = (archive, directory.store("copy"))
    // A link, because nothing but the call that gives the name can see it in time.
    @Sendable func appear(_ place: URL) {
      try? FileManager.default.createSymbolicLink(
        atPath: place.path, withDestinationPath: "nowhere")
    }
    expectError(.alreadyExists, naming: "store.archive") {
      try store.archive(to: archive) { _ in appear(archive) }
    }
    #expect(try names == ["store", "store.archive"])
    try FileManager.default.removeItem(at: archive)
    try store.archive(to: archive)
    expectError(.alreadyExists, naming: "copy") {
      try EmbeddingStore.restore(archive, to: copy) { _ in appear(copy) }
    }
    #expect(try names == ["copy", "store", "store.archive"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: copy.path) == "nowhere")
  }

  @Test func writingFailsAtAnyCallAndLeavesNothing() throws {
    let faults = FaultyFileSystem(POSIXFileSystem())
    let store = try EmbeddingStore(
      faults, path: directory.store().path(percentEncoded: false),
      space: EmbeddingSpace(model: "test", dimension: 4), isReadOnly: false, StoreConfiguration())
    try store.put((0..<20).map { Record(key: "\($0)", vector: [1, 2, 3, Float($0)]) })
    let archiving = StoreArchiving(store: store, path: archive.path, fileSystem: faults)
    let callCount = try failAtEveryCall(faults, making: archive) { () throws(StoreError) in
      try archiving.run { _ in }
    }
    #expect(callCount > 40)
    #expect(try names == ["store", "store.archive"])
    #expect(try store.count() == 20)
  }

  @Test func restoringFailsAtAnyCallAndLeavesNothing() throws {
    try store(20).archive(to: archive)
    let faults = FaultyFileSystem(POSIXFileSystem())
    let restoring = StoreRestoring(
      archivePath: archive.path, path: directory.url.appending(path: "copy").path,
      fileSystem: faults)
    let callCount = try failAtEveryCall(faults, making: directory.store("copy")) {
      () throws(StoreError) in
      try restoring.run { _ in }
    }
    #expect(callCount > 30)
    #expect(try EmbeddingStore(readingAt: directory.store("copy")).verify().isIntact)
  }

  /// Lets each call fail in turn, as on a full disk, and looks for what is left; where a failure is
  /// none of the caller's business, what was made is removed again.
  private func failAtEveryCall(
    _ faults: FaultyFileSystem, making made: URL, _ body: () throws(StoreError) -> Void
  ) throws -> Int {
    let before = try names
    var number = 1
    while true {
      faults.setFaults(.noSpace(nil, number: number))
      var failure: StoreError?
      do throws(StoreError) { try body() } catch { failure = error }
      let failureCount = faults.failureCount
      faults.setFaults()
      if failureCount == 0 { return number }
      if let failure {
        #expect(failure.code == .noSpace, "call \(number)")
      } else {
        try FileManager.default.removeItem(at: made)
      }
      #expect(try names == before, "call \(number)")
      number += 1
    }
  }

  /// A kill at any moment leaves what is there at that moment.
  @Test func theFinalNameIsThereWholeOrNotAtAll() throws {
    try store(20).archive(to: archive)
    let copy = directory.store("copy")
    let seen = Mutex<[Bool]>([])
    let restoring = StoreRestoring(
      archivePath: archive.path, path: copy.path,
      fileSystem: WatchedFileSystem(base: POSIXFileSystem()) {
        let isThere = FileManager.default.fileExists(atPath: copy.path)
        let isWhole = (try? EmbeddingStore(readingAt: copy).verify().isIntact) == true
        #expect(isThere == isWhole)
        seen.withLock { $0.append(isThere) }
      })
    try restoring.run { _ in }
    // The name comes last, before its directory is synced.
    #expect(seen.withLock { $0.count > 8 && $0.filter { $0 }.count == 1 && $0.last == true })
  }

  @Test func aFullVolumeIsNoticedBeforeAnythingIsWritten() throws {
    try store(20).archive(to: archive)
    let restoring = StoreRestoring(
      archivePath: archive.path, path: directory.url.appending(path: "copy").path,
      fileSystem: WatchedFileSystem(base: POSIXFileSystem(), availableByteCount: 10))
    expectError(.noSpace) { try restoring.run { _ in } }
    #expect(try names == ["store", "store.archive"])
  }

  @Test func cancellingLeavesNothing() async throws {
    let store = try store(200)
    let archive = archive
    let archiving = Task {
      try await store.archive(to: archive) { _ in withUnsafeCurrentTask { $0?.cancel() } }
    }
    await #expect(throws: StoreError.self) { try await archiving.value }
    #expect(try names == ["store"])
    try await store.archive(to: archive)
    let copy = directory.store("copy")
    let restoring = Task {
      try await EmbeddingStore.restore(archive, to: copy) { _ in
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: StoreError.self) { try await restoring.value }
    #expect(try names == ["store", "store.archive"])
    try await EmbeddingStore.restore(archive, to: copy)
    #expect(try EmbeddingStore(readingAt: copy).count() == 200)
  }
}

/// A file system that calls a closure before each call, and may say that it has next to no room.
private struct WatchedFileSystem: FileSystem {
  let base: any FileSystem
  let availableByteCount: UInt64
  let look: @Sendable () -> Void

  init(
    base: any FileSystem, availableByteCount: UInt64 = 1 << 40,
    _ look: @escaping @Sendable () -> Void = {}
  ) {
    self.base = base
    self.availableByteCount = availableByteCount
    self.look = look
  }

  func availableByteCount(at directory: String) throws(StorageError) -> UInt64 {
    look()
    return availableByteCount
  }

  func open(_ path: String, _ access: FileAccess) throws(StorageError) -> any File {
    look()
    return try base.open(path, access)
  }

  func attributes(of path: String) throws(StorageError) -> FileAttributes? {
    look()
    return try base.attributes(of: path)
  }

  func createDirectory(_ path: String) throws(StorageError) {
    look()
    try base.createDirectory(path)
  }

  func list(_ directory: String) throws(StorageError) -> [String] {
    look()
    return try base.list(directory)
  }

  func rename(_ source: String, to destination: String) throws(StorageError) {
    look()
    try base.rename(source, to: destination)
  }

  func unlink(_ path: String) throws(StorageError) {
    look()
    try base.unlink(path)
  }

  func syncDirectory(_ path: String) throws(StorageError) {
    look()
    try base.syncDirectory(path)
  }
}
