import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingTextSearch

@Suite struct FollowingTests {
  @Test func followsPutsUpdatesAndRemovals() throws {
    let bench = try WordBench(["a": "apple", "b": "banana"])
    let index = try TextIndex(of: bench.store)
    #expect(try index.keys("apple") == ["a"])
    try bench.store.put(WordBench.record("c", "cherry apple"))
    #expect(try index.keys("apple") == ["a", "c"])
    try bench.store.update([RecordUpdate(key: "a", text: .set("pear"))])
    #expect(try index.keys("apple") == ["c"] && index.keys("pear") == ["a"])
    try bench.store.remove(["c"])
    #expect(try index.keys("apple") == [] && index.keys("cherry") == [])
    try bench.store.update([RecordUpdate(key: "b", labels: .set(["yellow fruit"]))])
    #expect(try index.keys("yellow") == ["b"] && index.keys("banana") == ["b"])
    try bench.store.compact()
    #expect(try index.keys("pear") == ["a"] && index.keys("fruit") == ["b"])
    try bench.store.removeAll()
    #expect(try index.keys("pear") == [])
    #expect(try index.isIntact())
  }

  @Test func goesOnWhereItWasWhenOpenedAgain() throws {
    let bench = try WordBench(["a": "apple", "b": "banana"])
    try TextIndex(of: bench.store).catchUp()
    try bench.store.put(WordBench.record("c", "cherry"))
    try bench.store.remove(["a"])
    let index = try TextIndex(of: bench.store)
    #expect(try index.keys("apple") == [] && index.keys("cherry") == ["c"])
    #expect(try index.keys("banana") == ["b"] && index.isIntact())
  }

  @Test func forgetsWhatTheStoreDoesNotHold() throws {
    let secret = "verysecretword"
    let bench = try WordBench(["a": secret, "b": "banana"])
    try TextIndex(of: bench.store).catchUp()
    #expect(try Data(contentsOf: bench.file).range(of: Data(secret.utf8)) != nil)
    try bench.store.remove(["a"])
    let index = try TextIndex(of: bench.store)
    #expect(try index.keys(WordQuery(secret)) == [])
    try index.compact()
    #expect(try Data(contentsOf: bench.file).range(of: Data(secret.utf8)) == nil)
    #expect(try index.isIntact() && index.keys("banana") == ["b"])
  }

  @Test func isMadeAnewWhenMissingDamagedOrOfAnotherStore() throws {
    let bench = try WordBench(["a": "apple"])
    try TextIndex(of: bench.store).catchUp()
    let other = try WordBench(["x": "xylophone"])
    try TextIndex(of: other.store).catchUp()
    let whole = try Data(contentsOf: bench.file)
    let image = try DirectoryImage(bench.directory.store()).files.filter { $0.key != "text.sqlite" }
    let damages: [Data?] = [
      nil, Data(), Data("no database at all, but long enough to be one".utf8), whole.prefix(700),
      whole.prefix(whole.count / 2), Data(repeating: 0, count: whole.count),
      whole.prefix(4_096) + Data(repeating: 0x5a, count: whole.count - 4_096),
      try Data(contentsOf: other.file),
    ]
    for damage in damages {
      try? FileManager.default.removeItem(at: bench.file)
      try damage?.write(to: bench.file)
      let index = try TextIndex(of: bench.store)
      #expect(try index.keys("apple") == ["a"], "\(damage?.count ?? -1) bytes")
      #expect(try index.keys("xylophone") == [])
      #expect(try index.isIntact())
    }
    let after = try DirectoryImage(bench.directory.store()).files.filter { $0.key != "text.sqlite" }
    #expect(after == image)
  }

  @Test func leavesTheDatabaseOfSomebodyElseAlone() throws {
    let bench = try WordBench(["a": "apple"])
    do {
      let database = try Database(path: bench.file.path, mode: .create)
      try database.run("CREATE TABLE mine (value); INSERT INTO mine VALUES (1)")
    }
    let before = try Data(contentsOf: bench.file)
    let error = #expect(throws: StoreError.self) { try TextIndex(of: bench.store) }
    #expect(error?.code == .alreadyExists)
    #expect(try Data(contentsOf: bench.file) == before)
  }

  @Test func aSQLiteWithoutFullTextSearchIsATypedError() throws {
    let bench = try WordBench(["a": "apple"])
    let error = #expect(throws: StoreError.self) {
      try TextIndex(of: bench.store, engine: "fts_missing", batchRowCount: 10)
    }
    #expect(error?.code == .textSearchUnavailable)
    #expect(try bench.store.contains("a"))
    // And once there is one, the file that was left is no obstacle.
    #expect(try TextIndex(of: bench.store).keys("apple") == ["a"])
  }

  @Test func aReadOnlyStoreIsSearchedWithWhatIsThereOrInMemory() throws {
    let bench = try WordBench(["a": "apple"])
    let reader = try EmbeddingStore(readingAt: bench.directory.store())
    // Without a file.
    #expect(try TextIndex(of: reader).keys("apple") == ["a"])
    #expect(!FileManager.default.fileExists(atPath: bench.file.path))
    // With one that is up to date, then behind.
    try TextIndex(of: bench.store).catchUp()
    let index = try TextIndex(of: reader)
    let before = try Data(contentsOf: bench.file)
    #expect(try index.keys("apple") == ["a"])
    try bench.store.put(WordBench.record("b", "apple"))
    try bench.store.remove(["a"])
    try reader.refresh()
    #expect(try index.keys("apple") == ["b"])
    #expect(try Data(contentsOf: bench.file) == before)
    // With a damaged one.
    try Data(repeating: 0x5a, count: 9_000).write(to: bench.file)
    #expect(try TextIndex(of: reader).keys("apple") == ["b"])
  }

  @Test func aFileThatAnotherProcessHoldsDoesNotKeepAStoreFromBeingSearched() throws {
    let bench = try WordBench(["a": "apple"])
    try TextIndex(of: bench.store).catchUp()
    let index = try TextIndex(of: bench.store)
    let other = try Database(path: bench.file.path, mode: .create)
    try other.run("BEGIN IMMEDIATE")
    try bench.store.put(WordBench.record("b", "apple"))
    #expect(try index.keys("apple") == ["a", "b"])
    try other.run("ROLLBACK")
    #expect(try TextIndex(of: bench.store).keys("apple") == ["a", "b"])
  }

  @Test func aStoreThatLostCommitsIsIndexedAnew() throws {
    let bench = try WordBench(["a": "apple"])
    try bench.store.close()
    let copy = bench.directory.store("copy")
    try FileManager.default.copyItem(at: bench.directory.store(), to: copy)
    let whole = try EmbeddingStore(at: bench.directory.store(), space: WordBench.space)
    try whole.put(WordBench.record("b", "banana"))
    try TextIndex(of: whole).catchUp()
    // The store as it was before, with the index of later.
    try FileManager.default.copyItem(
      at: bench.file, to: copy.appending(path: "text.sqlite"))
    let shorter = try EmbeddingStore(at: copy, space: WordBench.space)
    let index = try TextIndex(of: shorter)
    #expect(try index.keys("banana") == [] && index.keys("apple") == ["a"])
    try shorter.put(WordBench.record("c", "citron"))
    #expect(try index.keys("banana") == [] && index.keys("citron") == ["c"])
    #expect(try index.isIntact())
  }

  @Test func takesInMoreThanOneTransactionHolds() throws {
    let bench = try WordBench()
    try bench.store.put((0..<103).map { WordBench.record("k\($0)", "common w\($0)") })
    let index = try TextIndex(of: bench.store, batchRowCount: 10)
    #expect(try index.keys("common").count == 103 && index.keys("w102") == ["k102"])
    try bench.store.remove((0..<50).map { "k\($0)" })
    try bench.store.put((90..<150).map { WordBench.record("k\($0)", "common") })
    #expect(try index.keys("common").count == 100 && index.keys("w102") == [])
    #expect(try index.isIntact())
  }

  @Test func aCancelledTaskEndsAndWhatWasTakenInStays() async throws {
    let bench = try WordBench(["a": "apple"])
    let index = try TextIndex(of: bench.store)
    let store = bench.store
    let search = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await index.search(HybridQuery(words: "apple")).count
    }
    let result = await search.result
    let code = #expect(throws: StoreError.self) { try result.get() }?.code
    #expect(code == .cancelled)
    try store.put(WordBench.record("b", "apple"))
    #expect(try await index.search(HybridQuery(words: "apple")).count == 2)
  }

  @Test func aStoreInMemoryIsSearchedAsWell() throws {
    let store = try EmbeddingStore(inMemory: WordBench.space)
    try store.put(WordBench.record("a", "apple", labels: ["fruit"]))
    let index = try TextIndex(of: store)
    #expect(try index.keys("fruit apple") == ["a"])
    try store.close()
    let error = #expect(throws: StoreError.self) { try index.keys("apple") }
    #expect(error?.code == .closed)
  }
}
