import EmbeddingStores
import EmbeddingTestSupport
import Foundation
import Testing

@testable import EmbeddingTextSearch

@Suite struct DamagedIndexTests {
  private static let texts = [
    "a": "apple pie", "b": "banana split", "c": "cherry apple", "d": "東京タワー", "e": "",
  ]
  private static let answers: [(WordQuery, [String])] = [
    ("apple", ["a", "c"]), ("banana", ["b"]), ("東京", ["d"]), ("ch*", ["c"]), ("nothing", []),
  ]

  /// Whatever byte is wrong: no end of the process, no key that the store does not hold, an error that
  /// says what to do or an answer; right answers where `isIntact` says so and after `rebuild`.
  @Test func noFlippedBitIsTakenForTheTruthUnnoticed() throws {
    let bench = try WordBench(Self.texts)
    try TextIndex(of: bench.store).catchUp()
    let whole = try Data(contentsOf: bench.file)
    let image = try storeImage(bench)
    var generator = SeededGenerator("DamagedIndexTests", seed: 11)
    var refused = 0
    for round in 0..<250 {
      var damaged = whole
      // The first page tells what the file is, so every second flip goes there.
      let end = round % 2 == 0 ? 200 : whole.count
      let position = Int.random(in: 0..<end, using: &generator)
      damaged[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      try? FileManager.default.removeItem(atPath: bench.file.path + "-wal")
      try? FileManager.default.removeItem(atPath: bench.file.path + "-shm")
      try damaged.write(to: bench.file)
      do {
        let index = try TextIndex(of: bench.store)
        for (words, _) in Self.answers {
          #expect(Set(Self.texts.keys).isSuperset(of: try index.keys(words)))
        }
        if try !index.isIntact() { try index.rebuild() }
        for (words, keys) in Self.answers {
          #expect(try index.keys(words) == keys, "at \(position)")
        }
      } catch let error as StoreError {
        refused += 1
        #expect(
          error.code == .alreadyExists && (68..<72).contains(position), "at \(position): \(error)")
      }
    }
    print("\(refused) of 250 taken for somebody else's")
    #expect(try storeImage(bench) == image)
  }

  @Test func damageThatShowsWhileTheIndexIsOpenIsPutRight() throws {
    let bench = try WordBench(Self.texts)
    let index = try TextIndex(of: bench.store)
    try index.catchUp()
    let byteCount = try Data(contentsOf: bench.file).count
    let handle = try FileHandle(forUpdating: bench.file)
    try handle.write(contentsOf: Data(repeating: 0x5a, count: byteCount))
    try handle.close()
    for (words, keys) in Self.answers { #expect(try index.keys(words) == keys) }
    try bench.store.put(WordBench.record("f", "apple"))
    #expect(try index.keys("apple") == ["a", "c", "f"])
    #expect(try TextIndex(of: bench.store).isIntact())
  }

  @Test func aDirectoryInItsPlaceDoesNotKeepAStoreFromBeingSearched() throws {
    let bench = try WordBench(Self.texts)
    try FileManager.default.createDirectory(at: bench.file, withIntermediateDirectories: false)
    let index = try TextIndex(of: bench.store)
    for (words, keys) in Self.answers { #expect(try index.keys(words) == keys) }
  }

  private func storeImage(_ bench: WordBench) throws -> [String: Data] {
    try DirectoryImage(bench.directory.store()).files.filter {
      !$0.key.hasPrefix("text.sqlite")
    }
  }
}
