import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

/// A store whose directory is moved, deleted or replaced while it is open: writing and refreshing
/// say so, reading goes on, and nothing is written anywhere.
@Suite struct MovedStoreTests {
  enum Event: String, CaseIterable, Sendable {
    case moved, replacedByStore, replacedByCopy, replacedByNothing, replacedByFile
  }

  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// The directory goes aside rather than away: deleting it would free its file number for the
  /// directory of another test.
  private func carryOut(_ event: Event) throws {
    try FileManager.default.moveItem(at: directory.store(), to: directory.store("aside"))
    switch event {
    case .moved: break
    case .replacedByStore:
      let other = try EmbeddingStore(at: directory.store(), space: .small)
      try other.put(numberedRecords(0..<1))
      try other.close()
    case .replacedByCopy:
      // A backup that was put back, say: the same store by its identifier, but other files.
      _ = try directory.store("aside").copied(to: directory.store())
    case .replacedByNothing:
      try FileManager.default.createDirectory(
        at: directory.store(), withIntermediateDirectories: false)
    case .replacedByFile:
      try Data("file".utf8).write(to: directory.url.appending(path: "store"))
    }
  }

  // Found by these tests: before its first write a store took a missing directory for a missing
  // store, and put a lock file into a directory that had taken the place of its own.
  @Test(arguments: Event.allCases, [false, true])
  func writingAndRefreshingSayThatTheStoreMoved(event: Event, hasWritten: Bool) throws {
    do {
      let store = try EmbeddingStore(at: directory.store(), space: .small)
      try store.put(numberedRecords(0..<5))
      try store.compact()
    }
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    if hasWritten { try store.put(numberedRecords(5..<6)) }
    let count = try store.count()
    try carryOut(event)
    let before = try DirectoryImage(directory.url)
    let calls: [() throws -> Void] = [
      { try store.put(numberedRecords(6..<7)) }, { try store.remove(["k1"]) },
      { try store.compact() }, { _ = try store.refresh() },
    ]
    for call in calls {
      expectError(.storeMoved, naming: "store") { try call() }
    }
    #expect(try DirectoryImage(directory.url) == before)
    #expect(try store.count() == count)
    #expect(try store.search(for: axisVector(0), count: 100).count == count)
    #expect(try store.record(for: "k1")?.key == "k1")
    if hasWritten { expectError(.storeMoved) { try store.close() } } else { try store.close() }
    expectError(.closed) { _ = try store.count() }
  }

  @Test func aMovedStoreOpensWhereItIsNow() throws {
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    try store.put(numberedRecords(0..<5))
    try carryOut(.moved)
    expectError(.storeMoved) { try store.put(numberedRecords(5..<6)) }
    expectError(.alreadyOpenForWriting) {
      _ = try EmbeddingStore(at: directory.store("aside"), space: .small)
    }
    try? store.close()
    let moved = try EmbeddingStore(at: directory.store("aside"), space: .small)
    #expect(try moved.count() == 5)
    try moved.put(numberedRecords(5..<6))
  }

  @Test func aDeletedStoreGoesOnReading() throws {
    let store = try EmbeddingStore(at: directory.store(), space: .small)
    try store.put(numberedRecords(0..<5))
    try store.compact()
    // An open directory keeps its file number.
    let descriptor = open(directory.store().path, O_RDONLY)
    defer { _ = Foundation.close(descriptor) }
    try FileManager.default.removeItem(at: directory.store())
    expectError(.storeMoved) { try store.put(numberedRecords(5..<6)) }
    expectError(.storeMoved) { _ = try store.refresh() }
    #expect(try store.search(for: axisVector(0)).count == 5)
    #expect(!FileManager.default.fileExists(atPath: directory.store().path))
    let new = try EmbeddingStore(at: directory.store(), space: .small)
    #expect(new.openReport.wasCreated)
    try new.put(numberedRecords(0..<1))
    expectError(.storeMoved) { try store.put(numberedRecords(5..<6)) }
    #expect(try new.count() == 1)
  }

  // annoy #335; milvus PR 48662: a file replaced under a mapping ended the process.
  @Test func aReaderOutlivesCompactionsAndTheStore() throws {
    var store: EmbeddingStore? = try EmbeddingStore(at: directory.store(), space: .small)
    try store?.put(numberedRecords(0..<100))
    try store?.compact()
    let snapshot = try #require(try store?.snapshot())
    let matches = try snapshot.search(for: axisVector(0), count: 100)
    for round in 0..<5 {
      try store?.put(numberedRecords(round * 10..<round * 10 + 10))
      try store?.remove(["k\(99 - round)"])
      try store?.compact()
      #expect(try snapshot.search(for: axisVector(0), count: 100) == matches)
    }
    try store?.close()
    store = nil
    try FileManager.default.removeItem(at: directory.store())
    #expect(try snapshot.search(for: axisVector(0), count: 100) == matches)
    #expect(try snapshot.record(for: "k99")?.key == "k99")
  }
}
